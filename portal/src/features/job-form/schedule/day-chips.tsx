import { cn } from "@/lib/cn";

interface DayChipsProps {
  label: string;
  days: string[];
  chosen: string[];
  onChosen: (chosen: string[]) => void;
}

/** Some of the days of the week. */
export function DayChips({ label, days, chosen, onChosen }: DayChipsProps) {
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{label}</legend>
      {days.map((day) => {
        const on = chosen.includes(day);
        return (
          <button
            key={day}
            type="button"
            aria-pressed={on}
            onClick={() => onChosen(days.filter((one) => (one === day ? !on : chosen.includes(one))))}
            className={cn(
              "h-8 rounded-md border px-2 text-xs",
              on
                ? "border-accent bg-accent-soft font-medium text-accent"
                : "border-control/60 text-muted hover:bg-hover",
            )}
          >
            {day.charAt(0) + day.slice(1).toLowerCase()}
          </button>
        );
      })}
    </fieldset>
  );
}
