import { Plus, X } from "lucide-react";
import { Button } from "./button";

/** Takes a row out of an editor of several. */
export function RemoveRow({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <Button variant="ghost" size="icon" aria-label={`Remove ${label}`} onClick={onRemove}>
      <X />
    </Button>
  );
}

export function AddRow({ noun, id, onAdd }: { noun: string; id?: string; onAdd: () => void }) {
  return (
    <Button size="sm" variant="ghost" id={id} onClick={onAdd}>
      <Plus /> Add {noun}
    </Button>
  );
}
