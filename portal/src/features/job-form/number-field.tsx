import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { seconds } from "@/lib/durations";

interface NumberFieldProps {
  label: string;
  hint?: string;
  placeholder: string;
  value: string;
  onValue: (value: string) => void;
  error?: string;
}

export function NumberField({ label, hint, placeholder, value, onValue, error }: NumberFieldProps) {
  const words = label.includes("(seconds)") && Number(value) >= 60 ? `= ${seconds(Number(value))}` : undefined;
  return (
    <Field label={label} hint={[words, hint].filter(Boolean).join(" · ") || undefined} error={error}>
      <Input
        inputMode="decimal"
        placeholder={placeholder}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </Field>
  );
}
