import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { DeadLetterFilter } from "@/api/schema";
import { BulkBar } from "@/components/ui/bulk-bar";
import { Button } from "@/components/ui/button";
import type { Selection } from "@/lib/selection";
import { DiscardDialog } from "./discard-dialog";
import { type Chosen, RedriveDialog } from "./redrive-dialog";

interface LetterBulkProps {
  selection: Selection;
  filter: DeadLetterFilter;
  count: number;
  example: unknown;
  onClear: () => void;
}

export function LetterBulk({ selection, filter, count, example, onClear }: LetterBulkProps) {
  const [asked, setAsked] = useState<"redrive" | "discard" | null>(null);
  const chosen: Chosen = selection.all ? { filter } : { ids: [...selection.ids] };
  const about = { chosen, count, onClose: () => setAsked(null), onDone: onClear };
  return (
    <>
      <BulkBar count={count} noun="dead letter" onClear={onClear}>
        <Button size="sm" onClick={() => setAsked("redrive")}>
          <RotateCcw /> Redrive
        </Button>
        <Button size="sm" variant="danger" onClick={() => setAsked("discard")}>
          <Trash2 /> Discard
        </Button>
      </BulkBar>
      {asked === "redrive" ? <RedriveDialog {...about} example={example} /> : null}
      {asked === "discard" ? <DiscardDialog {...about} /> : null}
    </>
  );
}
