import { useState } from "react";
import { fieldError } from "@/api/errors";
import type { AlertView } from "@/api/schema";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { UntilField } from "@/components/ui/until-field";
import { useAlertVerbs } from "./alert-verbs";

const HOUR = 3_600_000;

export function SilenceDialog({ alert, onClose }: { alert: AlertView; onClose: () => void }) {
  const { silence } = useAlertVerbs();
  const [until, setUntil] = useState(() => new Date(Date.now() + HOUR).toISOString());
  return (
    <FormDialog
      title="Silence this alert?"
      description={`${alert.title}. It stays open, but no notifications are sent, even if it clears and reopens meanwhile.`}
      action="Silence"
      onClose={onClose}
      onSubmit={async (text) => {
        await silence(alert, until, text("note").trim());
        onClose();
      }}
    >
      {(error) => (
        <>
          <UntilField value={until} onValue={setUntil} error={fieldError(error, "until")} />
          <Field label="Note" optional hint="Why, for your colleagues." error={fieldError(error, "note")}>
            <Input name="note" maxLength={500} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
