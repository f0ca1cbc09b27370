import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

/** Confirms the password before sensitive changes. */
export function PasswordField() {
  return (
    <Field label="Password">
      <Input name="password" type="password" autoComplete="current-password" autoFocus required />
    </Field>
  );
}
