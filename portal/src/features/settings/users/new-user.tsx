import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { toast } from "@/lib/toasts";

export function NewUser({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [admin, setAdmin] = useState(false);
  return (
    <FormDialog
      title="New user"
      description="Share the password with them and have them change it. Or invite them under Members instead."
      action="Create account"
      onClose={onClose}
      onSubmit={async (text) => {
        const body = { username: text("username").trim(), password: text("password"), is_admin: admin };
        const made = await call("POST /users", { body });
        void client.invalidateQueries({ queryKey: ["users"] });
        toast(`Created account ${made.username}`);
        onClose();
      }}
    >
      {(error) => (
        <>
          <Field label="Name" error={fieldError(error, "username")}>
            <Input name="username" required maxLength={100} autoComplete="off" autoCapitalize="none" />
          </Field>
          <Field label="Password" hint="At least 12 characters." error={fieldError(error, "password")}>
            <Input name="password" type="password" required minLength={12} autoComplete="new-password" />
          </Field>
          <CheckField
            label="Admin of the installation"
            hint="Manages users and projects, with access to every project."
            checked={admin}
            onChecked={setAdmin}
          />
        </>
      )}
    </FormDialog>
  );
}
