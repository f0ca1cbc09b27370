import type { ComponentProps } from "react";
import { TextField } from "@/components/ui/text-field";
import { seconds } from "@/lib/durations";

interface NumberFieldProps extends Omit<ComponentProps<typeof TextField>, "label" | "hint"> {
  label: string;
  hint?: string;
}

export function NumberField({ label, hint, value, ...props }: NumberFieldProps) {
  const words = label.includes("(seconds)") && Number(value) >= 60 ? `= ${seconds(Number(value))}` : undefined;
  const both = [words, hint].filter(Boolean).join(" · ") || undefined;
  return <TextField inputMode="decimal" label={label} hint={both} value={value} {...props} />;
}
