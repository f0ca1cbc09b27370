import { ApiError, fieldError } from "@/api/errors";
import type { FormText } from "@/lib/use-form";
import { Field } from "./field";
import { Input } from "./input";

interface NewPasswordProps {
  name: string;
  label: string;
  error: unknown;
}

const AGAIN = "again";

/** A new password, entered twice. */
export function NewPassword({ name, label, error }: NewPasswordProps) {
  return (
    <>
      <Field label={label} hint="At least 12 characters." error={fieldError(error, name)}>
        <Input name={name} type="password" autoComplete="new-password" minLength={12} required />
      </Field>
      <Field label={`Confirm ${label.toLowerCase()}`} error={fieldError(error, AGAIN)}>
        <Input name={AGAIN} type="password" autoComplete="new-password" required />
      </Field>
    </>
  );
}

/** The new password; throws if the two differ. */
export function newPassword(text: FormText, name: string): string {
  if (text(name) === text(AGAIN)) return text(name);
  throw new ApiError(0, { title: "Invalid input", detail: "The passwords do not match.", field: AGAIN });
}
