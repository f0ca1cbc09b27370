import type { AlertView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useForm } from "@/lib/use-form";
import { useAlertVerbs } from "./alert-verbs";

/** Acknowledges an alert with a few words, or changes them. */
export function NoteForm({ alert }: { alert: AlertView }) {
  const { acknowledge } = useAlertVerbs();
  const form = useForm(async (text, element) => {
    await acknowledge(alert, text("note").trim());
    element.reset();
  });
  return (
    <form onSubmit={form.onSubmit} className="mt-4 flex flex-wrap items-end gap-2 border-t border-line pt-4">
      <Field label="Note" className="flex-1 basis-48">
        <Input name="note" required maxLength={500} autoComplete="off" placeholder="What you found, or are doing" />
      </Field>
      <Button type="submit" busy={form.busy}>
        {alert.acknowledged_at ? "Save" : "Acknowledge with note"}
      </Button>
    </form>
  );
}
