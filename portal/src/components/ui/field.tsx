import { cloneElement, type ReactElement, type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";
import { FieldLabel, FieldNotes, noteIds } from "./field-notes";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with it: see `fieldError` in api/errors. */
  error?: string;
  optional?: boolean;
  className?: string;
  /** One control that takes `id`, `aria-invalid` and `aria-describedby`. */
  children: ReactElement<{ id?: string; "aria-invalid"?: boolean; "aria-describedby"?: string }>;
}

export function Field({ label, hint, error, optional, className, children }: FieldProps) {
  const own = useId();
  const id = children.props.id ?? own;
  return (
    <div className={cn("space-y-1", className)}>
      <label htmlFor={id} className="flex items-baseline gap-2 text-sm font-medium">
        <FieldLabel label={label} optional={optional} />
      </label>
      {cloneElement(children, {
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": noteIds({ id, hint, error }),
      })}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}
