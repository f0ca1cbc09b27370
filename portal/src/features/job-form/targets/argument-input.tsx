import { useState } from "react";
import { Field } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { sameWords } from "@/lib/words";
import { type ArgumentField, meant, shown } from "../model/json-schema";

interface ArgumentInputProps {
  field: ArgumentField;
  value: unknown;
  /** Undefined leaves the argument out. */
  onValue: (value: unknown) => void;
  error?: string;
}

/** One argument of a function, in the control that its type asks for. */
export function ArgumentInput({ field, value, onValue, error }: ArgumentInputProps) {
  const fallback = field.fallback === undefined ? undefined : `default ${JSON.stringify(field.fallback)}`;
  const hint = [field.hint, fallback].filter(Boolean).join(" · ");
  return (
    <Field
      label={sameWords(field.label, field.name) ? field.label : `${field.label} (${field.name})`}
      optional={!field.required}
      hint={hint || undefined}
      error={error}
      className={field.control === "json" ? "sm:col-span-2" : undefined}
    >
      <Control field={field} value={value} onValue={onValue} />
    </Field>
  );
}

interface ControlProps {
  field: ArgumentField;
  value: unknown;
  onValue: (value: unknown) => void;
  id?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}

function Control({ field, value, onValue, ...props }: ControlProps) {
  const [text, setText] = useState(() => shown(field, value));
  const change = (next: string) => {
    setText(next);
    onValue(meant(field, next));
  };
  if (field.control === "boolean" || field.control === "choice") {
    const values = field.control === "boolean" ? [true, false] : field.choices;
    const given = [...values, ...(field.nullable ? [null] : [])];
    const choices = given.map((one) => ({ value: JSON.stringify(one), label: one === null ? "null" : String(one) }));
    return (
      <Select
        {...props}
        className="w-full"
        choices={[{ value: "", label: field.required ? "Choose" : "Not set" }, ...choices]}
        value={value === undefined ? "" : JSON.stringify(value)}
        onValue={(next) => onValue(next === "" ? undefined : (JSON.parse(next) as unknown))}
      />
    );
  }
  if (field.control === "json") {
    return (
      <Textarea
        {...props}
        className="font-mono text-xs"
        placeholder="JSON"
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return (
    <Input
      {...props}
      inputMode={field.control === "text" ? undefined : "decimal"}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
}
