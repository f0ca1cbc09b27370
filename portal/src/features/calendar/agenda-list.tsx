import { CalendarOff } from "lucide-react";
import { useMemo } from "react";
import { Link } from "react-router";
import type { CalendarView } from "@/api/schema";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Instant } from "@/components/ui/time";
import { Tooltip } from "@/components/ui/tooltip";
import { plural } from "@/lib/words";
import { type AgendaRow, agenda, clockOf, wallClock } from "./buckets";
import { dayTitle } from "./look";
import { useCalendar } from "./queries";
import type { View } from "./view";

const MOST = 150; // rows

interface AgendaListProps {
  view: View;
  start: string;
  end: string;
}

/** What fires, in order. */
export function AgendaList({ view, start, end }: AgendaListProps) {
  const found = useCalendar({ ...view.filter, start, end });
  if (found.error && !found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <SkeletonLines lines={8} />;
  return <Rows found={found.data} zone={view.zone} />;
}

function Rows({ found, zone }: { found: CalendarView; zone: string }) {
  const rows = useMemo(() => agenda(found.items, zone), [found, zone]);
  if (rows.length === 0) {
    return (
      <EmptyState icon={CalendarOff} title="Nothing scheduled">
        Upcoming runs of enabled jobs appear here. Paused and disabled jobs are left out.
      </EmptyState>
    );
  }
  const days = [...new Set(rows.map((row) => row.day))];
  const shown = rows.slice(0, MOST);
  return (
    <>
      {days.map((day) => (
        <Day key={day} day={day} rows={shown.filter((row) => row.day === day)} zone={zone} />
      ))}
      {rows.length > MOST || found.complete_until < found.end ? (
        <p className="mt-3 text-xs text-muted">There is more. Pick a day, then an hour, to see everything.</p>
      ) : null}
    </>
  );
}

function Day({ day, rows, zone }: { day: string; rows: AgendaRow[]; zone: string }) {
  const clock = useMemo(() => wallClock(zone), [zone]);
  if (rows.length === 0) return null;
  const time = (at: string) => clockOf(clock(Date.parse(at)));
  return (
    <section className="mb-4 last:mb-0">
      <h3 className="mb-1 text-xs font-medium text-muted">{dayTitle(day)}</h3>
      <ul>
        {rows.map((row) => (
          <li key={`${row.first} ${row.jobId}`} className="flex items-baseline gap-3 py-0.5 text-sm">
            <Tooltip content={<Instant at={row.first} zone={zone} />}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard gets to the exact instant */}
              <time dateTime={row.first} tabIndex={0} className="w-22 shrink-0 rounded text-xs text-muted">
                {time(row.first)}
                {time(row.last) === time(row.first) ? "" : `–${time(row.last)}`}
              </time>
            </Tooltip>
            <Link to={`/jobs/${row.jobId}`} className="min-w-0 truncate rounded hover:text-accent hover:underline">
              {row.jobName}
            </Link>
            {row.count > 1 ? (
              <span className="ml-auto text-xs whitespace-nowrap text-muted">{plural(row.count, "time")}</span>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
