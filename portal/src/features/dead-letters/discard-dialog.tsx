import { useState } from "react";
import { call } from "@/api/client";
import { messageOf } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { plural } from "@/lib/words";
import type { Chosen } from "./redrive-dialog";
import { useResolve } from "./use-resolve";

interface DiscardDialogProps {
  chosen: Chosen;
  count: number;
  onClose: () => void;
  onDone?: () => void;
}

export function DiscardDialog({ chosen, count, onClose, onDone }: DiscardDialogProps) {
  const [reason, setReason] = useState("");
  const discard = useResolve(
    () => call("POST /dead-letters/discard", { body: { ...chosen, reason: reason.trim() } }),
    () => {
      onClose();
      onDone?.();
    },
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Discard ${plural(count, "dead letter")}?`}
      description="Removes them from this list permanently. Their runs stay in the history and can still be retried."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            busy={discard.isPending}
            disabled={reason.trim() === ""}
            onClick={() => discard.mutate()}
          >
            Discard {count.toLocaleString("en-US")}
          </Button>
        </>
      }
    >
      <Field
        label="Reason"
        hint="Recorded in the audit trail."
        error={discard.error ? messageOf(discard.error) : undefined}
      >
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} autoComplete="off" />
      </Field>
    </Dialog>
  );
}
