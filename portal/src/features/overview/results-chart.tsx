import { Link, useNavigate } from "react-router";
import type { SeriesView } from "@/api/schema";
import { Chart, type Series } from "@/components/charts/chart";
import { Legend } from "@/components/charts/legend";
import { Fold } from "@/components/ui/fold";
import { Panel } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { Skeleton } from "@/components/ui/skeleton";
import { count, seconds } from "@/lib/durations";
import { brief } from "@/lib/times";
import { compact } from "./compact";
import { type Drawn, drawn, runsBehind, SPANS, type Span, type Status, totals } from "./series";
import { axisOf } from "./ticks";

const STATUSES: readonly Status[] = ["succeeded", "failed", "cancelled"];
const SERIES: Series[] = STATUSES.map((status) => ({
  key: status,
  label: status,
  colour: `var(--${status})`,
  as: "bar",
  stack: "ended",
}));

interface ResultsChartProps {
  series: SeriesView | undefined;
  span: Span;
  onSpan: (span: string) => void;
}

/** How runs ended over time. A bar leads to the runs behind it. */
export function ResultsChart({ series, span, onSpan }: ResultsChartProps) {
  const navigate = useNavigate();
  const points = series?.points.map(drawn) ?? [];
  const sum = totals(series?.points ?? []);
  const words = `Runs that ended within ${span.words}: ${STATUSES.map((one) => `${count(sum[one])} ${one}`).join(", ")}`;
  return (
    <Panel title="Results" actions={<Segments label="Span" choices={SPANS} value={span.value} onValue={onSpan} />}>
      {series ? (
        <>
          <Chart
            label={words}
            points={points.map(({ at, succeeded, failed, cancelled }) => ({ at, succeeded, failed, cancelled }))}
            series={SERIES}
            {...axisOf(span, points)}
            title={(at) => `${brief(at)}, ${seconds(series.step)}`}
            value={count}
            short={compact}
            onPick={(key, at) => void navigate(runsBehind(series, at, key as Status))}
          />
          <div className="mt-2 space-y-3">
            <Legend series={SERIES} />
            <AsTable series={series} points={points} />
          </div>
        </>
      ) : (
        <Skeleton className="h-52 w-full" />
      )}
    </Panel>
  );
}

function AsTable({ series, points }: { series: SeriesView; points: Drawn[] }) {
  const busy = points.filter((one) => STATUSES.some((status) => one[status])).reverse();
  return (
    <Fold title="As a table" summary={busy.length === 0 ? "no runs" : "with links to the runs"}>
      <div className="max-h-72 overflow-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">How runs ended, newest first</caption>
          <thead className="text-left text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 pr-2 font-medium">
                From
              </th>
              {STATUSES.map((status) => (
                <th key={status} scope="col" className="py-1 pl-2 text-right font-medium first-letter:uppercase">
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {busy.map((one) => (
              <tr key={one.at}>
                <th scope="row" className="py-1 pr-2 text-left font-normal whitespace-nowrap">
                  {brief(one.at)}
                </th>
                {STATUSES.map((status) => (
                  <td key={status} className="py-1 pl-2 text-right">
                    {one[status] ? (
                      <Link
                        to={runsBehind(series, one.at, status)}
                        aria-label={`${count(one[status])} ${status} from ${brief(one.at)}`}
                        className="rounded text-accent hover:underline"
                      >
                        {count(one[status])}
                      </Link>
                    ) : (
                      <span className="text-muted">0</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Fold>
  );
}
