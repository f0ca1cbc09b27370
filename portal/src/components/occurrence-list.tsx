import type { OccurrenceView } from "@/api/schema";
import { Time } from "@/components/ui/time";
import { absolute, userZone } from "@/lib/times";

interface OccurrenceListProps {
  occurrences: OccurrenceView[];
  /** The job's zone: its wall clock is what is shown first. */
  zone: string;
}

/** When it will run: by the job's clock, by the reader's where it differs, and how far away that is. */
export function OccurrenceList({ occurrences, zone }: OccurrenceListProps) {
  const own = userZone();
  return (
    <ol className="space-y-1.5 text-sm">
      {occurrences.map((one) => (
        <li key={`${one.at} ${one.local}`} className="grid grid-cols-[1fr_auto] gap-x-3">
          <span className="tabular-nums">{absolute(one.at, zone)}</span>
          <span className="text-muted">
            <Time at={one.at} zone={zone} />
          </span>
          {zone === own ? null : <span className="col-span-2 text-xs text-muted">{absolute(one.at)} for you</span>}
          {one.note ? <span className="col-span-2 text-xs text-paused-text">{one.note}</span> : null}
        </li>
      ))}
    </ol>
  );
}
