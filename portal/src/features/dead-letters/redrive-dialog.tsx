import { useState } from "react";
import { call } from "@/api/client";
import { fieldError, messageOf } from "@/api/errors";
import type { DeadLetterFilter } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CheckField } from "@/components/ui/check-field";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { JsonField } from "@/components/ui/json-field";
import { jsonError } from "@/lib/json-text";
import { plural } from "@/lib/words";
import { useResolve } from "./use-resolve";

/** Some by id, or all that match a filter. */
export type Chosen = { ids: string[] } | { filter: DeadLetterFilter };

interface RedriveDialogProps {
  chosen: Chosen;
  count: number;
  /** The initial text when the user changes the input. */
  example?: unknown;
  onClose: () => void;
  onDone?: () => void;
}

export function RedriveDialog({ chosen, count, example, onClose, onDone }: RedriveDialogProps) {
  const [changing, setChanging] = useState(false);
  const [text, setText] = useState(() =>
    example === null || example === undefined ? "" : JSON.stringify(example, null, 2),
  );
  const [rate, setRate] = useState("");
  const wrong = changing ? jsonError(text) : null;
  const redrive = useResolve(
    () =>
      call("POST /dead-letters/redrive", {
        body: {
          ...chosen,
          ...(changing ? { input: text.trim() === "" ? null : (JSON.parse(text) as unknown) } : {}),
          ...(rate === "" ? {} : { rate: Number(rate) }),
        },
      }),
    () => {
      onClose();
      onDone?.();
    },
  );
  const letters = plural(count, "dead letter");
  const known = fieldError(redrive.error, "input") ?? fieldError(redrive.error, "rate");
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Redrive ${letters}`}
      description="Each is queued again as a new run, with the job's current definition, and leaves this list."
      className="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={redrive.isPending} disabled={wrong !== null} onClick={() => redrive.mutate()}>
            Redrive {count.toLocaleString("en-US")}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Field
          label="Rate"
          optional
          hint="Runs per second, to avoid overloading what they call. Leave empty for no limit."
          error={fieldError(redrive.error, "rate")}
        >
          <Input
            type="number"
            min="0.1"
            step="any"
            inputMode="decimal"
            value={rate}
            onChange={(event) => setRate(event.target.value)}
            className="w-32"
          />
        </Field>
        <CheckField
          label="Change the input"
          hint="Every run gets the input below instead of its original one."
          checked={changing}
          onChecked={setChanging}
        />
        {changing ? (
          <JsonField label="Input" value={text} onValue={setText} error={wrong ?? fieldError(redrive.error, "input")} />
        ) : null}
        {redrive.error && !known ? (
          <p role="alert" className="text-sm text-danger">
            {messageOf(redrive.error)}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
