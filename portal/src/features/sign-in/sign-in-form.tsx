import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { signIn } from "@/session/session";
import { FormProblem } from "./form-problem";

export function SignInForm() {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await signIn(String(form.get("username")).trim(), String(form.get("password")));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-4">
      <Field label="Name">
        <Input name="username" autoComplete="username" autoCapitalize="none" autoFocus required />
      </Field>
      <Field label="Password">
        <Input name="password" type="password" autoComplete="current-password" required />
      </Field>
      <FormProblem error={error} />
      <Button type="submit" variant="primary" size="lg" busy={busy} className="w-full">
        Sign in
      </Button>
    </form>
  );
}
