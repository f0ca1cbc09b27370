import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Refusal } from "@/components/ui/refusal";
import { useForm } from "@/lib/use-form";
import { signIn } from "@/session/session";

export function SignInForm() {
  const form = useForm((text) => signIn(text("username").trim(), text("password")));
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      <Field label="Name">
        <Input name="username" autoComplete="username" autoCapitalize="none" autoFocus required />
      </Field>
      <Field label="Password">
        <Input name="password" type="password" autoComplete="current-password" required />
      </Field>
      <Refusal error={form.error} />
      <Button type="submit" variant="primary" size="lg" busy={form.busy} className="w-full">
        Sign in
      </Button>
    </form>
  );
}
