import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { type DayHeat, type Known, type Level, scaleOf } from "./buckets";
import { HeatKey } from "./heat-key";
import { dayName, HEAT, UNCOUNTED } from "./look";

interface WeekHeatProps {
  days: string[];
  heat: DayHeat[];
  today: string;
  onHour: (day: string, hour: number) => void;
  onDay: (day: string) => void;
}

const short = (count: number) => (count < 1_000 ? String(count) : `${Math.round(count / 1_000)}k`);

/** Seven days by twenty-four hours; an hour leads to its day. */
export function WeekHeat({ days, heat, today, onHour, onDay }: WeekHeatProps) {
  const level = scaleOf(heat.flatMap((day) => day.hours));
  return (
    <>
      <table className="w-full table-fixed border-separate border-spacing-0.5 text-xs">
        <caption className="sr-only">Occurrences per hour of the week</caption>
        <thead>
          <tr>
            <th scope="col" className="w-9 font-normal">
              <span className="sr-only">Hour</span>
            </th>
            {days.map((day, index) => (
              <th key={day} scope="col" className="pb-1 font-normal">
                <button
                  type="button"
                  onClick={() => onDay(day)}
                  className={cn(
                    "w-full rounded px-0.5 py-0.5 hover:bg-hover",
                    day === today && "font-semibold text-accent",
                  )}
                >
                  <span className="mx-auto block max-sm:w-min">{dayName(day)}</span>
                  <span className="block text-[11px] text-muted">{totalOf(heat[index])}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: 24 }, (_, hour) => (
            <tr key={`hour ${hour}`}>
              <th scope="row" className="pr-1 text-right text-[11px] font-normal text-muted">
                {String(hour).padStart(2, "0")}
              </th>
              {days.map((day, index) => (
                <td key={day} className="p-0">
                  <Hour
                    count={heat[index]?.hours[hour] ?? 0}
                    known={heat[index]?.known[hour] ?? "uncounted"}
                    level={level(heat[index]?.hours[hour] ?? 0)}
                    label={`${dayName(day)}, ${hour}:00`}
                    onOpen={() => onHour(day, hour)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <HeatKey heat={heat} />
    </>
  );
}

/** A day of which hours were not counted has at least as many. */
function totalOf(heat: DayHeat | undefined): string {
  if (!heat || heat.known.every((known) => known === "past")) return "–";
  if (!heat.known.includes("uncounted")) return short(heat.total);
  return heat.total === 0 ? "?" : `${short(heat.total)}+`;
}

interface HourProps {
  count: number;
  known: Known;
  level: Level;
  label: string;
  onOpen: () => void;
}

function Hour({ count, known, level, label, onOpen }: HourProps) {
  const partly = known === "uncounted";
  if (count === 0) {
    const words = partly ? `${label}: not counted` : undefined;
    return (
      <div title={words} className={cn("h-5 rounded-sm", partly ? UNCOUNTED : known === "counted" && HEAT[0])}>
        {words ? <span className="sr-only">{words}</span> : null}
      </div>
    );
  }
  return (
    <button
      type="button"
      onClick={onOpen}
      className={cn(
        "block h-5 w-full rounded-sm text-[11px] leading-5 hover:outline-2 hover:outline-ring",
        partly ? UNCOUNTED : HEAT[level],
      )}
    >
      <span aria-hidden>{partly ? `${short(count)}+` : short(count)}</span>
      <span className="sr-only">{`${label}: ${partly ? "at least " : ""}${plural(count, "occurrence")}`}</span>
    </button>
  );
}
