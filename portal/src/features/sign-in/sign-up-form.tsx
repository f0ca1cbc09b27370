import { type FormEvent, useState } from "react";
import { ApiError, fieldError } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { signUp } from "@/session/session";
import { FormProblem } from "./form-problem";
import { tokenIn, type Way } from "./start";

export function SignUpForm({ way }: { way: Exclude<Way, "sign-in"> }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    if (text("password") !== text("again")) return setError(mismatch());
    setBusy(true);
    try {
      await signUp(text("username").trim(), text("password"), text("token").trim() || null, used);
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-4">
      {way === "sign-up" ? null : (
        <Field
          label={way === "first" ? "One-time token" : "Invitation"}
          hint={way === "first" ? "Starts with hf1_. See the output of horae up or horae serve." : undefined}
          error={fieldError(error, "token")}
        >
          <Input name="token" defaultValue={tokenIn(location.hash)} autoComplete="off" spellCheck={false} required />
        </Field>
      )}
      <Field label="Name" error={fieldError(error, "username")}>
        <Input name="username" autoComplete="username" autoCapitalize="none" required />
      </Field>
      <Field label="Password" hint="At least 12 characters." error={fieldError(error, "password")}>
        <Input name="password" type="password" autoComplete="new-password" minLength={12} required />
      </Field>
      <Field label="Confirm password" error={fieldError(error, "again")}>
        <Input name="again" type="password" autoComplete="new-password" required />
      </Field>
      <FormProblem error={error} />
      <Button type="submit" variant="primary" size="lg" busy={busy} className="w-full">
        {way === "first" ? "Create admin account" : "Sign up"}
      </Button>
    </form>
  );
}

/** The token has done its work: neither it nor its page stays in the address. */
function used(): void {
  history.replaceState(null, "", "/");
}

function mismatch(): ApiError {
  return new ApiError(0, { title: "Invalid input", detail: "The passwords do not match.", field: "again" });
}
