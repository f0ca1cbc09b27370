import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

/** Asked for once more before something that matters. */
export function PasswordField() {
  return (
    <Field label="Password">
      <Input name="password" type="password" autoComplete="current-password" autoFocus required />
    </Field>
  );
}
