import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import { ApiError, fieldError } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Refusal } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { toast } from "@/lib/toasts";

export function PasswordForm({ username }: { username: string }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "");
    if (text("new_password") !== text("again")) return setError(mismatch());
    setBusy(true);
    try {
      await call("POST /auth/password", { body: { password: text("password"), new_password: text("new_password") } });
      setError(null);
      form.reset();
      toast("Password changed. Your other sessions have ended");
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Password">
      <form onSubmit={(event) => void save(event)} className="max-w-sm space-y-4">
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Field label="Current password" error={fieldError(error, "password")}>
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
        <Field label="New password" hint="At least 12 characters." error={fieldError(error, "new_password")}>
          <Input name="new_password" type="password" autoComplete="new-password" minLength={12} required />
        </Field>
        <Field label="Confirm new password" error={fieldError(error, "again")}>
          <Input name="again" type="password" autoComplete="new-password" required />
        </Field>
        <Refusal error={error} />
        <Button type="submit" busy={busy}>
          Change password
        </Button>
      </form>
    </Panel>
  );
}

function mismatch(): ApiError {
  return new ApiError(0, { title: "Invalid input", detail: "The passwords do not match.", field: "again" });
}
