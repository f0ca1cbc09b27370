import { type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";

interface GroupProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  optional?: boolean;
  className?: string;
  children: ReactNode;
}

/** What a Field is to one control, this is to several. */
export function Group({ label, hint, error, optional, className, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset
      className={cn("min-w-0 space-y-1", className)}
      data-invalid={error ? true : undefined}
      aria-describedby={[hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined}
    >
      <legend className="flex items-baseline gap-2 text-sm font-medium">
        {label}
        {optional ? <span className="text-xs font-normal text-muted">optional</span> : null}
      </legend>
      {children}
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
    </fieldset>
  );
}
