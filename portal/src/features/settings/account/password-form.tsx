import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NewPassword, newPassword } from "@/components/ui/new-password";
import { Panel } from "@/components/ui/panel";
import { Refusal } from "@/components/ui/refusal";
import { toast } from "@/lib/toasts";
import { useForm } from "@/lib/use-form";

export function PasswordForm({ username }: { username: string }) {
  const form = useForm(async (text, sent) => {
    await call("POST /auth/password", {
      body: { password: text("password"), new_password: newPassword(text, "new_password") },
    });
    sent.reset();
    toast("Password changed. Your other sessions have ended");
  });
  return (
    <Panel title="Password">
      <form onSubmit={form.onSubmit} className="max-w-sm space-y-4">
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Field label="Current password" error={fieldError(form.error, "password")}>
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
        <NewPassword name="new_password" label="New password" error={form.error} />
        <Refusal error={form.error} />
        <Button type="submit" busy={form.busy}>
          Change password
        </Button>
      </form>
    </Panel>
  );
}
