import type { OccurrenceView } from "@/api/schema";
import { Time } from "@/components/ui/time";
import { userZone } from "@/lib/times";

interface OccurrenceListProps {
  occurrences: OccurrenceView[];
  /** By whose clock: the job's, or the reader's where it has none. */
  zone: string;
}

/** When it will run: by the job's clock, by the reader's where it differs, and how far away that is. */
export function OccurrenceList({ occurrences, zone }: OccurrenceListProps) {
  const own = userZone();
  return (
    <ol aria-label="Occurrences" className="space-y-1.5 text-sm">
      {occurrences.map((one) => (
        <li key={`${one.at} ${one.local}`} className="grid grid-cols-[1fr_auto] gap-x-3">
          <span className="tabular-nums">{inZone(one.at, zone)}</span>
          <span className="text-muted">
            <Time at={one.at} zone={zone} />
          </span>
          {zone === own ? null : <span className="col-span-2 text-xs text-muted">{inZone(one.at, own)} your time</span>}
          {one.note ? <span className="col-span-2 text-xs text-paused-text">{one.note}</span> : null}
        </li>
      ))}
    </ol>
  );
}

const DATE: Intl.DateTimeFormatOptions = { weekday: "short", day: "numeric", month: "short", year: "numeric" };

/** `Mon, 16 Nov 2026, 09:00`; seconds where there are any. */
function inZone(at: string, zone: string): string {
  const instant = new Date(at);
  return shown(instant, zone, instant.getUTCSeconds() !== 0);
}

function shown(at: Date, zone: string, exact: boolean): string {
  const time: Intl.DateTimeFormatOptions = {
    hour: "2-digit",
    minute: "2-digit",
    ...(exact ? { second: "2-digit" } : {}),
  };
  return at.toLocaleString("en-GB", { ...DATE, ...time, timeZone: zone });
}
