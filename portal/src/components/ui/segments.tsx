import { useId } from "react";
import { cn } from "@/lib/cn";
import type { Choice } from "./select";

interface SegmentsProps {
  label: string;
  choices: readonly Choice[];
  value: string;
  onValue: (value: string) => void;
}

/** One of a few, side by side: radio buttons in one bar. */
export function Segments({ label, choices, value, onValue }: SegmentsProps) {
  const name = useId();
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className={cn(
            "relative cursor-pointer rounded px-2.5 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-ring",
            choice.value === value ? "bg-surface font-medium text-text shadow-sm" : "text-muted hover:text-text",
          )}
        >
          <input
            type="radio"
            name={name}
            className="absolute opacity-0"
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onValue(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
