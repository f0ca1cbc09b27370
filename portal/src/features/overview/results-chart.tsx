import type { HourView } from "@/api/schema";
import { Chart, type Series } from "@/components/charts/chart";
import { Legend } from "@/components/charts/legend";
import { Panel } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { Skeleton } from "@/components/ui/skeleton";
import { count } from "@/lib/durations";
import { brief, clock, toMillis } from "@/lib/times";
import { compact } from "./compact";
import { dayOf, midnights } from "./ticks";

const SERIES: Series[] = [
  { key: "succeeded", label: "succeeded", colour: "var(--succeeded)", as: "bar", stack: "ended" },
  { key: "failed", label: "failed", colour: "var(--failed)", as: "bar", stack: "ended" },
  { key: "cancelled", label: "cancelled", colour: "var(--cancelled)", as: "bar", stack: "ended" },
];
const SPANS = [
  { value: "day", label: "24 hours" },
  { value: "week", label: "7 days" },
];

interface ResultsChartProps {
  hours: HourView[] | undefined;
  span: string;
  onSpan: (span: string) => void;
}

/** How runs ended over time. */
export function ResultsChart({ hours, span, onSpan }: ResultsChartProps) {
  const total = (key: "succeeded" | "failed" | "cancelled") => hours?.reduce((sum, hour) => sum + hour[key], 0) ?? 0;
  const words = `Runs per hour: ${count(total("succeeded"))} succeeded, ${count(total("failed"))} failed, ${count(total("cancelled"))} cancelled`;
  const day = span === "day";
  return (
    <Panel title="Results" actions={<Segments label="Span" choices={SPANS} value={span} onValue={onSpan} />}>
      {hours ? (
        <>
          <Chart
            label={words}
            points={hours.map(({ at, succeeded, failed, cancelled }) => ({
              at: toMillis(at),
              succeeded,
              failed,
              cancelled,
            }))}
            series={SERIES}
            tick={(at) => (day ? clock(at).slice(0, 5) : dayOf(at))}
            ticks={day ? undefined : midnights(hours.map(({ at }) => toMillis(at)))}
            title={(at) => `${brief(at)}, 1 hour`}
            value={count}
            short={compact}
          />
          <div className="mt-2 flex flex-wrap justify-between gap-2">
            <Legend series={SERIES} />
            <AsTable hours={hours} />
          </div>
        </>
      ) : (
        <Skeleton className="h-52 w-full" />
      )}
    </Panel>
  );
}

function AsTable({ hours }: { hours: HourView[] }) {
  const busy = hours.filter((hour) => hour.succeeded + hour.failed + hour.cancelled > 0);
  return (
    <table className="sr-only">
      <caption>Hours with runs: {busy.length}</caption>
      <thead>
        <tr>
          <th scope="col">Hour</th>
          <th scope="col">Succeeded</th>
          <th scope="col">Failed</th>
          <th scope="col">Cancelled</th>
        </tr>
      </thead>
      <tbody>
        {busy.map((hour) => (
          <tr key={hour.at}>
            <th scope="row">{brief(hour.at)}</th>
            <td>{hour.succeeded}</td>
            <td>{hour.failed}</td>
            <td>{hour.cancelled}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
