import { lazy, Suspense } from "react";
import { useNavigate } from "react-router";
import type { RunView } from "@/api/schema";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { chunk } from "@/lib/chunk";
import { duration } from "@/lib/durations";
import type { Point } from "./duration-chart";

const Chart = lazy(() => chunk(() => import("./duration-chart")));

/** How long its newest runs took. */
export function DurationTrend({ runs, zone }: { runs: RunView[] | undefined; zone: string }) {
  const navigate = useNavigate();
  const points = runs ? pointsOf(runs) : undefined;
  return (
    <Panel title="Duration" actions={<Spread points={points ?? []} />}>
      {points?.length === 0 ? (
        <p className="text-sm text-muted">No finished runs yet.</p>
      ) : points ? (
        <div role="img" aria-label={`Durations of the last ${points.length} runs, newest on the right`}>
          <Suspense fallback={<Skeleton className="h-56 w-full" />}>
            <Chart points={points} zone={zone} onOpen={(id) => void navigate(`/runs/${id}`)} />
          </Suspense>
        </div>
      ) : (
        <Skeleton className="h-56 w-full" />
      )}
    </Panel>
  );
}

function Spread({ points }: { points: Point[] }) {
  if (points.length < 2) return null;
  const sorted = points.map((point) => point.ms).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return (
    <span className="self-center text-xs text-muted">
      median {duration(at(0.5))} · 95 % within {duration(at(0.95))}
    </span>
  );
}

/** The runs that took some time, oldest first. */
export function pointsOf(runs: RunView[]): Point[] {
  return runs
    .flatMap(({ id, status, duration_ms, finished_at }) =>
      duration_ms === null || finished_at === null || status === "skipped"
        ? []
        : [{ id, status, ms: duration_ms, at: finished_at }],
    )
    .reverse();
}
