import { useQuery } from "@tanstack/react-query";
import { CalendarClock } from "lucide-react";
import { call } from "@/api/client";
import type { SchedulerView } from "@/api/schema";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { TroubleNote } from "@/features/workers/trouble-note";
import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { OWNERS } from "./owners";
import { ShardGrid } from "./shard-grid";
import { letter, ranges, shardMap } from "./shards";

export function SchedulersTab() {
  const schedulers = useQuery({
    queryKey: ["schedulers", "list", {}],
    queryFn: ({ signal }) => call("GET /schedulers", { signal }),
    refetchInterval: 5_000, // leases last seconds
  });
  if (schedulers.error && !schedulers.data) {
    return <ErrorState error={schedulers.error} onRetry={() => void schedulers.refetch()} />;
  }
  if (!schedulers.data) return <SkeletonLines lines={6} />;
  const list = schedulers.data.items;
  if (list.length === 0) return <Nobody />;
  const cells = shardMap(list, schedulers.data.shard_count);
  return (
    <div className="space-y-4">
      <Panel title="Shards">
        <p className="mb-3 text-xs text-muted">
          Jobs are spread over shards. Each shard is leased by one scheduler, which fires its jobs. The epoch (e) counts
          the shard's owners so far.
        </p>
        <ShardGrid cells={cells} />
      </Panel>
      <div className="grid gap-3 md:grid-cols-2">
        {list.map((scheduler, index) => (
          <Scheduler key={scheduler.id} scheduler={scheduler} index={index} />
        ))}
      </div>
    </div>
  );
}

function Scheduler({ scheduler, index }: { scheduler: SchedulerView; index: number }) {
  const { shards } = scheduler;
  return (
    <article aria-label={`Scheduler ${letter(index)}`} className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className={cn("rounded px-1.5 py-0.5 text-xs font-semibold", OWNERS[index % OWNERS.length])}>
          {letter(index)}
        </span>
        <h3 className="font-medium break-all">{scheduler.hostname}</h3>
        <StatusBadge status={scheduler.status} />
      </div>
      <p className="mt-1 text-xs text-muted">
        pid {scheduler.pid} · {scheduler.platform} · Horae {scheduler.version}
      </p>
      <p className="mt-0.5 text-xs text-muted">
        Started <Time at={scheduler.started_at} /> · heartbeat <Time at={scheduler.heartbeat_at} />
      </p>
      <p className="mt-2 text-sm">
        {plural(shards.length, "shard")}
        {shards.length > 0 ? <span className="text-muted">: {ranges(shards)}</span> : null}
      </p>
      {scheduler.trouble ? <TroubleNote trouble={scheduler.trouble} /> : null}
    </article>
  );
}

function Nobody() {
  return (
    <div className="rounded-lg border border-line bg-surface">
      <EmptyState icon={CalendarClock} title="No scheduler is running">
        Schedules do not fire without one. Run <code className="font-mono text-xs">horae scheduler</code> to start one.
        Missed runs then follow each job's catch-up policy.
      </EmptyState>
    </div>
  );
}
