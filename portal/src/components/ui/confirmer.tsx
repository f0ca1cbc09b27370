import { useState } from "react";
import { useQuestion } from "@/lib/confirm";
import { Button } from "./button";
import { CheckField } from "./check-field";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Input } from "./input";

/** Shows the dialog of `confirm`. There is one, in the shell. */
export function Confirmer() {
  const question = useQuestion();
  return question ? <Ask key={question.title} question={question} /> : null;
}

function Ask({ question }: { question: NonNullable<ReturnType<typeof useQuestion>> }) {
  const [typed, setTyped] = useState("");
  const [also, setAlso] = useState(false);
  const ready = question.typed === undefined || typed === question.typed;
  return (
    <Dialog
      open
      onOpenChange={() => question.answer(false)}
      title={question.title}
      description={question.text}
      footer={
        <>
          <Button onClick={() => question.answer(false)}>Cancel</Button>
          <Button
            variant={question.danger ? "danger" : "primary"}
            disabled={!ready}
            onClick={() => question.answer(true, also)}
          >
            {question.action}
          </Button>
        </>
      }
    >
      {question.typed === undefined && !question.also ? null : (
        <div className="space-y-4">
          {question.also ? <CheckField {...question.also} checked={also} onChecked={setAlso} /> : null}
          {question.typed === undefined ? null : (
            <Field label={`Type ${question.typed} to confirm`}>
              <Input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
            </Field>
          )}
        </div>
      )}
    </Dialog>
  );
}
