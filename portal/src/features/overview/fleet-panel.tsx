import { Link } from "react-router";
import type { SchedulerView, WorkerView } from "@/api/schema";
import { Panel } from "@/components/ui/panel";
import { Progress } from "@/components/ui/progress";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { ranges } from "@/features/schedulers/shards";
import { fleetOf } from "@/features/workers/fleet";
import { plural } from "@/lib/words";

const MOST = 6;

interface FleetPanelProps {
  workers: WorkerView[] | undefined;
  schedulers: SchedulerView[] | undefined;
}

/** Who carries runs out and who fires jobs, at a glance. */
export function FleetPanel({ workers, schedulers }: FleetPanelProps) {
  return (
    <Panel
      title="Workers and schedulers"
      actions={
        <Link to="/workers" className="rounded text-xs text-accent hover:underline">
          All
        </Link>
      }
    >
      {workers && schedulers ? (
        <div className="space-y-4">
          <Workers workers={workers} />
          <Schedulers schedulers={schedulers} />
        </div>
      ) : (
        <SkeletonLines lines={5} />
      )}
    </Panel>
  );
}

function Workers({ workers }: { workers: WorkerView[] }) {
  const { alive, offline, slots, busy } = fleetOf(workers);
  if (alive.length === 0) {
    return (
      <p className="text-sm text-failed-text">
        No worker is alive{offline.length > 0 ? `; ${plural(offline.length, "worker")} went offline` : ""}. Start one
        with <code className="font-mono text-xs">horae worker</code>.
      </p>
    );
  }
  // Those that want a look come first.
  const shown = [...offline.slice(0, 2), ...alive].slice(0, MOST);
  return (
    <div>
      <p className="mb-2 text-xs text-muted">
        {plural(alive.length, "worker")}, {busy} of {plural(slots, "slot")} busy
        {offline.length > 0 ? `, ${offline.length} offline` : ""}
      </p>
      <ul className="space-y-2">
        {shown.map((worker) => (
          <li key={worker.id} className="flex items-center gap-3 text-sm">
            <Link
              to={`/runs?worker=${worker.id}`}
              className="min-w-0 flex-1 truncate rounded hover:text-accent hover:underline"
            >
              {worker.name}
            </Link>
            <StatusBadge status={worker.status} />
            {worker.status === "offline" ? (
              <span className="w-28 text-right text-xs text-muted">
                <Time at={worker.heartbeat_at} />
              </span>
            ) : (
              <span className="flex w-28 items-center gap-2 text-xs text-muted">
                <Progress
                  value={worker.slots === 0 ? 0 : worker.busy / worker.slots}
                  label={`Busy slots of ${worker.name}`}
                />
                <span className="whitespace-nowrap">
                  {worker.busy}/{worker.slots}
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
      {alive.length > MOST ? <p className="mt-2 text-xs text-muted">and {alive.length - MOST} more</p> : null}
    </div>
  );
}

function Schedulers({ schedulers }: { schedulers: SchedulerView[] }) {
  if (schedulers.length === 0) {
    return (
      <p className="text-sm text-failed-text">
        No scheduler is alive: nothing fires. Start one with <code className="font-mono text-xs">horae scheduler</code>.
      </p>
    );
  }
  return (
    <div className="border-t border-line pt-3">
      <ul className="space-y-2">
        {schedulers.slice(0, MOST).map((scheduler) => (
          <li key={scheduler.id} className="flex items-baseline gap-3 text-sm">
            <span className="min-w-0 truncate">Scheduler on {scheduler.hostname}</span>
            <span className="ml-auto min-w-0 truncate text-xs text-muted" title={ranges(scheduler.shards)}>
              {scheduler.shards.length === 0
                ? "stands by"
                : `${plural(scheduler.shards.length, "shard")}: ${ranges(scheduler.shards)}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
