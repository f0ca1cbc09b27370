import { Plus, X } from "lucide-react";
import { Button } from "./button";

/** Removes a row of an editor. */
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
