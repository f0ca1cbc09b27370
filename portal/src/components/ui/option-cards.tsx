import type { LucideIcon } from "lucide-react";
import { useId } from "react";
import { cn } from "@/lib/cn";

export interface OptionCard {
  value: string;
  label: string;
  hint?: string;
  icon?: LucideIcon;
  disabled?: boolean;
}

interface OptionCardsProps {
  label: string;
  options: readonly OptionCard[];
  value: string;
  onValue: (value: string) => void;
  className?: string;
}

/** One of a few, each with its explanation: radio buttons that look like cards. */
export function OptionCards({ label, options, value, onValue, className }: OptionCardsProps) {
  const name = useId();
  return (
    <fieldset className={cn("grid gap-2", className)}>
      <legend className="sr-only">{label}</legend>
      {options.map(({ icon: Icon, ...option }) => (
        <label
          key={option.value}
          className={cn(
            "relative flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring",
            option.value === value ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
            option.disabled && "cursor-not-allowed opacity-60",
          )}
        >
          <input
            type="radio"
            name={name}
            className="absolute opacity-0"
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onValue(option.value)}
          />
          {Icon ? <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-soft" /> : null}
          <span className="min-w-0">
            <span className="block text-sm font-medium">{option.label}</span>
            {option.hint ? <span className="block text-xs text-soft">{option.hint}</span> : null}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
