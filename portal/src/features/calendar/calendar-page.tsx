import { useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { absolute } from "@/lib/times";
import { useUrlState } from "@/lib/url-state";
import { AgendaList } from "./agenda-list";
import { beginning, heatOf, today } from "./buckets";
import { CalendarFilters } from "./calendar-filters";
import { DayHeatGrid } from "./day-heat";
import { HotMinutes } from "./hot-minutes";
import { dayTitle } from "./look";
import { useCalendar } from "./queries";
import { DEFAULTS, viewOf } from "./view";
import { WeekHeat } from "./week-heat";

export default function CalendarPage() {
  const [state, set] = useUrlState(DEFAULTS);
  const [opened] = useState(Date.now);
  const view = useMemo(() => viewOf(state, opened), [state, opened]);
  const counted = useCalendar({ ...view.filter, start: view.start, end: view.end, by: "minute" });
  const items = counted.data?.items;
  const until = counted.data ? Date.parse(counted.data.complete_until) : Number.POSITIVE_INFINITY;
  const heat = useMemo(
    () => heatOf(items ?? [], view.days, view.zone, { from: opened, until }),
    [items, view.days, view.zone, opened, until],
  );
  const open = (day: string, hour: number | null) =>
    set({ view: "day", day, hour: hour === null ? null : String(hour) }, { push: true });
  return (
    <>
      <PageHeader title="Calendar" description="What is scheduled, and when it bunches up." />
      <CalendarFilters state={state} view={view} onChange={(change) => set(change)} />
      {counted.error ? (
        <ErrorState error={counted.error} onRetry={() => void counted.refetch()} />
      ) : (
        <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="space-y-4">
            <Panel title={titleOf(view.days)}>
              <Incomplete end={view.end} until={counted.data?.complete_until} zone={view.zone} />
              {items === undefined ? (
                <Skeleton className="h-96 w-full" />
              ) : view.week ? (
                <WeekHeat
                  days={view.days}
                  heat={heat}
                  today={today(opened, view.zone)}
                  onHour={open}
                  onDay={(day) => open(day, null)}
                />
              ) : (
                <Day
                  heat={heat[0]}
                  hour={view.hour}
                  onHour={(hour) => set({ hour: hour === null ? null : String(hour) })}
                />
              )}
            </Panel>
            <Panel title="Busiest minutes">
              {items ? <HotMinutes items={items} zone={view.zone} onOpen={open} /> : <Skeleton className="w-2/3" />}
            </Panel>
          </div>
          <Panel
            title={view.hour === null ? "Scheduled" : `Scheduled from ${view.hour}:00`}
            actions={
              view.hour === null ? null : (
                <Button size="sm" variant="ghost" onClick={() => set({ hour: null })}>
                  Whole day
                </Button>
              )
            }
          >
            <AgendaList view={view} {...stretch(view, opened)} />
          </Panel>
        </div>
      )}
    </>
  );
}

type View = ReturnType<typeof viewOf>;

function Day({
  heat,
  hour,
  onHour,
}: {
  heat: ReturnType<typeof heatOf>[0] | undefined;
  hour: number | null;
  onHour: (hour: number | null) => void;
}) {
  return heat ? <DayHeatGrid heat={heat} chosen={hour} onHour={onHour} /> : null;
}

/** The hour that is chosen, or all there is from now on; by the whole minute, so that it is one question. */
function stretch({ days: [day = ""], hour, zone, start, end }: View, now: number) {
  if (hour !== null) return { start: beginning(day, hour, zone), end: beginning(day, hour + 1, zone) };
  const minute = new Date(Math.floor(now / 60_000) * 60_000).toISOString();
  return { start: minute > start && minute < end ? minute : start, end };
}

function titleOf(days: string[]): string {
  const [first = "", last = first] = [days[0], days.at(-1)];
  return first === last ? dayTitle(first) : `${dayTitle(first)} to ${dayTitle(last)}`;
}

function Incomplete({ end, until, zone }: { end: string; until: string | undefined; zone: string }) {
  if (until === undefined || Date.parse(until) >= Date.parse(end)) return null;
  return (
    <p role="note" className="mb-3 text-xs text-muted">
      Counted up to {absolute(until, zone)}; what is hatched comes later and was not counted. Filter by tag or queue, or
      open a single day, to see more of it.
    </p>
  );
}
