import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { type DayHeat, type Known, type Level, scaleOf } from "./buckets";
import { HeatKey } from "./heat-key";
import { HEAT, UNCOUNTED } from "./look";

interface DayHeatGridProps {
  heat: DayHeat;
  chosen: number | null;
  onHour: (hour: number | null) => void;
}

const two = (value: number) => String(value).padStart(2, "0");

/** A day by its minutes: a row for each hour, which is chosen as a whole. */
export function DayHeatGrid({ heat, chosen, onHour }: DayHeatGridProps) {
  const level = scaleOf(heat.minutes);
  return (
    <>
      <ul aria-label="Hours of the day" className="space-y-0.5">
        {heat.hours.map((count, hour) => (
          <li key={`hour ${hour + 1}`}>
            <button
              type="button"
              aria-pressed={chosen === hour}
              onClick={() => onHour(chosen === hour ? null : hour)}
              className={cn(
                "relative flex w-full items-center gap-2 rounded px-1 text-xs hover:bg-hover",
                chosen === hour && "bg-accent-soft",
              )}
            >
              <span className={cn("w-9 text-left", chosen === hour ? "text-text" : "text-muted")}>{two(hour)}:00</span>
              <Minutes
                minutes={heat.minutes.slice(hour * 60, hour * 60 + 60)}
                known={heat.known[hour] ?? "uncounted"}
                level={level}
              />
              <span className={cn("w-10 text-right", count === 0 && "text-muted")}>
                <Count count={count} known={heat.known[hour] ?? "uncounted"} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <HeatKey heat={[heat]} />
    </>
  );
}

function Count({ count, known }: { count: number; known: Known }) {
  if (known !== "uncounted") {
    return (
      <>
        {count === 0 ? "–" : count}
        <span className="sr-only"> occurrences</span>
      </>
    );
  }
  return count === 0 ? (
    <>
      ?<span className="sr-only"> not counted</span>
    </>
  ) : (
    <>
      {count}+<span className="sr-only"> or more occurrences</span>
    </>
  );
}

interface MinutesProps {
  minutes: number[];
  known: Known;
  level: (count: number) => Level;
}

function Minutes({ minutes, known, level }: MinutesProps) {
  const empty = known === "uncounted" ? UNCOUNTED : known === "past" ? "" : HEAT[0];
  return (
    <span
      aria-hidden
      className="grid h-5 min-w-0 flex-1 grid-cols-[repeat(60,minmax(0,1fr))] gap-px overflow-hidden rounded-sm"
    >
      {minutes.map((count, minute) => (
        <span
          key={`minute ${minute + 1}`}
          title={count > 0 ? `:${two(minute)} ${plural(count, "occurrence")}` : undefined}
          className={count === 0 ? empty : HEAT[level(count)]}
        />
      ))}
    </span>
  );
}
