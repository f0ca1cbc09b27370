import type { RunView } from "@/api/schema";
import { Chart, type Series } from "@/components/charts/chart";
import { durationTick, durationTicks } from "@/components/charts/duration-ticks";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { duration } from "@/lib/durations";
import { absolute } from "@/lib/times";
import { latenessOf } from "./lateness";
import { tickOf } from "./ticks";

const SERIES: Series[] = [{ key: "ms", label: "start delay", colour: "var(--queued)", as: "dots" }];

/** How late the newest runs began. */
export function LatenessChart({ runs }: { runs: RunView[] | undefined }) {
  const { points, median, worst } = latenessOf(runs ?? []);
  return (
    <Panel
      title="Lateness"
      actions={
        median === null ? null : (
          <span className="text-xs text-muted">
            median {duration(median)}, worst {duration(worst?.ms)}
          </span>
        )
      }
    >
      {runs === undefined ? <Skeleton className="h-52 w-full" /> : null}
      {runs && points.length === 0 ? (
        <p className="flex h-52 items-center justify-center text-sm text-muted">No runs yet.</p>
      ) : null}
      {points.length > 0 ? (
        <>
          <Chart
            label={`Start delay of the last ${points.length} runs: median ${duration(median)}, worst ${duration(worst?.ms)}`}
            points={points.map(({ at, ms }) => ({ at, ms }))}
            series={SERIES}
            tick={tickOf(points[0]?.at ?? 0, points.at(-1)?.at ?? 0)}
            wide
            short={durationTick}
            levels={durationTicks(worst?.ms ?? 0)}
            title={(at) => absolute(at)}
            value={duration}
          />
          <p className="mt-2 text-xs text-muted">Delay between due time and start, last {points.length} runs.</p>
        </>
      ) : null}
    </Panel>
  );
}
