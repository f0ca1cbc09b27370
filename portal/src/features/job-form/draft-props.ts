import type { FormErrors } from "./form-errors";

/** What the fields of one part of the form get. */
export interface DraftProps<T> {
  draft: T;
  onDraft: (change: Partial<T>) => void;
  errors: FormErrors;
}
