import type { ReactNode } from "react";
import type { JobStatsView, JobView, RunView } from "@/api/schema";
import { RunStrip } from "@/components/ui/run-strip";
import { Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { cn } from "@/lib/cn";
import { count, duration } from "@/lib/durations";
import { useStats } from "../queries";
import { zoneOf } from "../zone";

interface CountersProps {
  job: JobView;
  runs: RunView[] | undefined;
}

/** The job in numbers. */
export function Counters({ job, runs }: CountersProps) {
  const { data: stats } = useStats(job.id);
  const ended = runs?.filter((run) => run.finished_at !== null || run.status === "running") ?? [];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
      <Counter label="Next run">
        {job.next_run_at && !job.unreadable ? <Time at={job.next_run_at} as="countdown" zone={zoneOf(job)} /> : "–"}
      </Counter>
      <Counter label="Last run">
        <Time at={job.last_run_at} none="never" zone={zoneOf(job)} />
      </Counter>
      <Counter label="Success rate" bad={isPoor(stats)}>
        {number(stats, (all) => percent(all.success_rate))}
      </Counter>
      <Counter label="Succeeded / failed">
        {number(stats, (all) => `${count(all.succeeded)} / ${count(all.failed)}`)}
      </Counter>
      <Counter label="Average duration">{number(stats, (all) => duration(all.avg_duration_ms))}</Counter>
      <Counter label="Last 20 runs">{runs ? <RunStrip runs={ended} /> : <Skeleton className="w-24" />}</Counter>
    </dl>
  );
}

function percent(rate: number | null): string {
  return rate === null ? "–" : `${Math.floor(rate * 10) / 10} %`; // never rounded up to 100
}

function number(stats: JobStatsView | undefined, read: (stats: JobStatsView) => string): ReactNode {
  return stats ? read(stats) : <Skeleton className="w-16" />;
}

/** As on the overview. */
const isPoor = (stats: JobStatsView | undefined) => stats?.success_rate != null && stats.success_rate < 90;

function Counter({ label, bad = false, children }: { label: string; bad?: boolean; children: ReactNode }) {
  return (
    <div className="rounded-lg border border-line bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{label}</dt>
      <dd
        className={cn("mt-1 flex min-h-6 items-center text-base font-semibold tabular-nums", bad && "text-failed-text")}
      >
        {children}
      </dd>
    </div>
  );
}
