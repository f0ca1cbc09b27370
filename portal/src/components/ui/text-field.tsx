import type { ComponentProps } from "react";
import { Field } from "./field";
import { Input } from "./input";

type FieldProps = Omit<ComponentProps<typeof Field>, "children">;
type InputProps = Omit<ComponentProps<"input">, keyof FieldProps | "value" | "onChange">;

interface TextFieldProps extends FieldProps, InputProps {
  value: string;
  onValue: (value: string) => void;
  /** For paths, names of programs and the like. */
  mono?: boolean;
}

/** A labelled line of text. */
export function TextField({ label, hint, error, optional, className, mono, onValue, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional} className={className}>
      <Input
        {...input}
        className={mono ? "font-mono text-xs" : undefined}
        onChange={(event) => onValue(event.target.value)}
      />
    </Field>
  );
}
