import { type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";
import { FieldLabel, FieldNotes, noteIds } from "./field-notes";

interface GroupProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  optional?: boolean;
  className?: string;
  children: ReactNode;
}

/** Like Field, but for several controls. */
export function Group({ label, hint, error, optional, className, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset
      className={cn("min-w-0 space-y-1", className)}
      data-invalid={error ? true : undefined}
      aria-describedby={noteIds({ id, hint, error })}
    >
      <legend className="flex items-baseline gap-2 text-sm font-medium">
        <FieldLabel label={label} optional={optional} />
      </legend>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </fieldset>
  );
}
