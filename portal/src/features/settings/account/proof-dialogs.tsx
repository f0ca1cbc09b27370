import { useState } from "react";
import { call } from "@/api/client";
import { FormDialog } from "@/components/ui/form-dialog";
import { CodeField } from "@/features/second-factor/code-field";
import { toast } from "@/lib/toasts";
import { CodesDialog } from "./codes-dialog";
import { PasswordField } from "./password-field";

type Text = (name: string) => string;

function proof(text: Text) {
  return { password: text("password"), code: text("code").trim() };
}

export function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <CodesDialog codes={codes} onClose={onClose} />;
  return (
    <FormDialog
      title="New recovery codes"
      description="Those you have now stop working."
      action="Create"
      onClose={onClose}
      onSubmit={async (text) => {
        setCodes((await call("POST /auth/second-factor/recovery-codes", { body: proof(text) })).recovery_codes);
      }}
    >
      {() => <Proof />}
    </FormDialog>
  );
}

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      title="Turn off the second factor"
      description="Your password alone will be enough to sign in."
      action="Turn off"
      danger
      onClose={onClose}
      onSubmit={async (text) => {
        await call("POST /auth/second-factor/off", { body: proof(text) });
        toast("Second factor turned off");
        onClose();
      }}
    >
      {() => <Proof />}
    </FormDialog>
  );
}

function Proof() {
  return (
    <>
      <PasswordField />
      <CodeField />
    </>
  );
}
