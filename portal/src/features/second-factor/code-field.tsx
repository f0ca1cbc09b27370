import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

interface CodeFieldProps {
  label?: string;
  hint?: string;
  error?: string | undefined;
  autoFocus?: boolean;
}

/** A code from an authenticator app, or a recovery code; phones and password managers fill it in. */
export function CodeField({
  label = "Code",
  hint = "From your authenticator app, or one of your recovery codes.",
  error,
  autoFocus = true,
}: CodeFieldProps) {
  return (
    <Field label={label} hint={hint} {...(error ? { error } : {})}>
      <Input
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        autoFocus={autoFocus}
        required
        className="font-mono"
      />
    </Field>
  );
}
