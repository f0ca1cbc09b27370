import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/lib/cn";
import { CONTROL } from "./input";

export interface Choice {
  value: string;
  label: string;
}

interface SelectProps extends ComponentProps<"select"> {
  choices: readonly Choice[];
  onValue?: (value: string) => void;
}

/** The browser's own list: known to every keyboard, screen reader and phone, and without its own <style>. */
export function Select({ choices, onValue, className, ...props }: SelectProps) {
  return (
    <span className={cn("relative inline-block", className)}>
      <select
        {...props}
        onChange={(event) => {
          props.onChange?.(event);
          onValue?.(event.target.value);
        }}
        className={cn(CONTROL, "h-8 appearance-none pr-8 text-ellipsis")}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-2 right-2 size-4 text-muted" />
    </span>
  );
}
