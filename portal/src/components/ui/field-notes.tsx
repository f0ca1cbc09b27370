import type { ReactNode } from "react";

interface FieldNotesProps {
  id: string;
  hint?: ReactNode;
  error?: string;
}

/** The hint and the error below a field; `noteIds` names them for `aria-describedby`. */
export function FieldNotes({ id, hint, error }: FieldNotesProps) {
  return (
    <>
      {hint ? (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger">
          {error}
        </p>
      ) : null}
    </>
  );
}

export function noteIds({ id, hint, error }: FieldNotesProps): string | undefined {
  return [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined;
}

export function FieldLabel({ label, optional }: { label: ReactNode; optional?: boolean }) {
  return (
    <>
      {label}
      {optional ? <span className="text-xs font-normal text-muted">optional</span> : null}
    </>
  );
}
