import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { EnrolmentView } from "@/api/schema";
import { FormDialog } from "@/components/ui/form-dialog";
import { AppSetup } from "@/features/second-factor/app-setup";
import { CodeField } from "@/features/second-factor/code-field";
import { CodesDialog } from "./codes-dialog";
import { PasswordField } from "./password-field";

/** The password, then the app, then the recovery codes. */
export function EnrolDialog({ replacing, onClose }: { replacing: boolean; onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<EnrolmentView>();
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <CodesDialog codes={codes} onClose={onClose} />;
  if (!enrolment) {
    return (
      <FormDialog
        title={replacing ? "Replace the app" : "Turn on the second factor"}
        description={
          replacing
            ? "The present app works until the new one is confirmed."
            : "You need an authenticator app, on your phone for example."
        }
        action="Continue"
        onClose={onClose}
        onSubmit={async (text) => {
          const code = text("code").trim();
          const body = { password: text("password"), ...(code ? { code } : {}) };
          setEnrolment(await call("POST /auth/second-factor", { body }));
        }}
      >
        {(error) => (
          <>
            <PasswordField />
            {replacing ? <CodeField error={fieldError(error, "code")} /> : null}
          </>
        )}
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="confirm"
      title="Set up the app"
      action="Turn on"
      onClose={onClose}
      onSubmit={async (text) => {
        const body = { code: text("code").trim() };
        setCodes((await call("POST /auth/second-factor/confirm", { body })).recovery_codes);
      }}
    >
      {() => <AppSetup enrolment={enrolment} />}
    </FormDialog>
  );
}
