import { cloneElement, type ReactElement, type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";

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
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className={cn("space-y-1", className)}>
      <label htmlFor={id} className="flex items-baseline gap-2 text-sm font-medium">
        {label}
        {optional ? <span className="text-xs font-normal text-muted">optional</span> : null}
      </label>
      {cloneElement(children, {
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": described || undefined,
      })}
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
    </div>
  );
}
