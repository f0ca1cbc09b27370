import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { type DayHeat, level } from "./buckets";
import { HEAT } from "./look";

interface DayHeatGridProps {
  heat: DayHeat;
  chosen: number | null;
  onHour: (hour: number | null) => void;
}

const two = (value: number) => String(value).padStart(2, "0");

/** A day by its minutes: a row for each hour, which is chosen as a whole. */
export function DayHeatGrid({ heat, chosen, onHour }: DayHeatGridProps) {
  const most = Math.max(0, ...heat.minutes);
  return (
    <ul aria-label="Hours of the day" className="space-y-0.5">
      {heat.hours.map((count, hour) => (
        <li key={`hour ${hour + 1}`}>
          <button
            type="button"
            aria-pressed={chosen === hour}
            aria-label={`${two(hour)}:00 to ${two(hour)}:59: ${plural(count, "occurrence")}`}
            onClick={() => onHour(chosen === hour ? null : hour)}
            className={cn(
              "flex w-full items-center gap-2 rounded px-1 text-xs hover:bg-hover",
              chosen === hour && "bg-accent-soft",
            )}
          >
            <span className="w-9 text-left text-muted">{two(hour)}:00</span>
            <Minutes minutes={heat.minutes.slice(hour * 60, hour * 60 + 60)} most={most} />
            <span className={cn("w-12 text-right", count === 0 && "text-muted")}>{count === 0 ? "–" : count}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Minutes({ minutes, most }: { minutes: number[]; most: number }) {
  return (
    <span
      aria-hidden
      className="grid h-5 min-w-0 flex-1 grid-cols-[repeat(60,minmax(0,1fr))] gap-px overflow-hidden rounded-sm"
    >
      {minutes.map((count, minute) => (
        <span
          key={`minute ${minute + 1}`}
          title={count > 0 ? `:${two(minute)} ${plural(count, "occurrence")}` : undefined}
          className={HEAT[level(count, most)]}
        />
      ))}
    </span>
  );
}
