import { fieldError } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NewPassword, newPassword } from "@/components/ui/new-password";
import { Refusal } from "@/components/ui/refusal";
import { useForm } from "@/lib/use-form";
import { signUp } from "@/session/session";
import { tokenIn, type Way } from "./start";

export function SignUpForm({ way }: { way: Exclude<Way, "sign-in"> }) {
  const form = useForm((text) =>
    signUp(text("username").trim(), newPassword(text, "password"), text("token").trim() || null, used),
  );
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      {way === "sign-up" ? null : (
        <Field
          label={way === "first" ? "One-time token" : "Invitation"}
          hint={way === "first" ? "Starts with hf1_. See the output of horae up or horae serve." : undefined}
          error={fieldError(form.error, "token")}
        >
          <Input name="token" defaultValue={tokenIn(location.hash)} autoComplete="off" spellCheck={false} required />
        </Field>
      )}
      <Field label="Name" error={fieldError(form.error, "username")}>
        <Input name="username" autoComplete="username" autoCapitalize="none" required />
      </Field>
      <NewPassword name="password" label="Password" error={form.error} />
      <Refusal error={form.error} />
      <Button type="submit" variant="primary" size="lg" busy={form.busy} className="w-full">
        {way === "first" ? "Create admin account" : "Sign up"}
      </Button>
    </form>
  );
}

/** The token has done its work: neither it nor its page stays in the address. */
function used(): void {
  history.replaceState(null, "", "/");
}
