import { Link } from "react-router";
import type { SchedulersView, SchedulerView, WorkerView } from "@/api/schema";
import { Panel } from "@/components/ui/panel";
import { Progress } from "@/components/ui/progress";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { ranges } from "@/features/schedulers/shards";
import { fleetOf, isAlive } from "@/features/workers/fleet";
import { plural } from "@/lib/words";

const MOST = 6;

interface FleetPanelProps {
  workers: WorkerView[] | undefined;
  schedulers: SchedulersView | undefined;
}

/** Workers and schedulers at a glance. */
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
          <Schedulers schedulers={schedulers.items} shards={schedulers.shard_count} />
        </div>
      ) : (
        <SkeletonLines lines={5} />
      )}
    </Panel>
  );
}

function Workers({ workers }: { workers: WorkerView[] }) {
  const { alive, offline, stopped, slots, busy } = fleetOf(workers);
  const gone = [offline.length > 0 && `${offline.length} offline`, stopped.length > 0 && `${stopped.length} stopped`]
    .filter(Boolean)
    .join(", ");
  if (alive.length === 0) {
    return (
      <p className="text-sm text-failed-text">
        No live workers{gone === "" ? "" : ` (${gone})`}. Start one with{" "}
        <code className="font-mono text-xs">horae worker</code>.
      </p>
    );
  }
  const shown = [...alive.slice(0, MOST), ...offline.slice(0, 2)];
  return (
    <div>
      <p className="mb-2 text-xs text-muted">
        {plural(alive.length, "worker")}, {busy} of {plural(slots, "slot")} busy
        {gone === "" ? "" : `, ${gone}`}
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
            {!isAlive(worker) ? (
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

interface SchedulersProps {
  schedulers: SchedulerView[];
  /** How many there are in all. */
  shards: number;
}

function Schedulers({ schedulers, shards }: SchedulersProps) {
  const alive = schedulers.filter((scheduler) => scheduler.status !== "offline");
  const offline = schedulers.filter((scheduler) => scheduler.status === "offline");
  const free = shards - new Set(alive.flatMap((scheduler) => scheduler.shards)).size;
  return (
    <div className="space-y-2 border-t border-line pt-3">
      <Firing alive={alive.length} free={free} shards={shards} />
      <ul className="space-y-2">
        {[...alive.slice(0, MOST), ...offline.slice(0, 2)].map((scheduler) => (
          <li key={scheduler.id} className="flex items-center gap-3 text-sm">
            <span className="min-w-0 flex-1 truncate">
              Scheduler on {scheduler.hostname} <span className="text-xs text-muted">pid {scheduler.pid}</span>
            </span>
            <StatusBadge status={scheduler.status} />
            <span className="w-28 truncate text-right text-xs text-muted" title={ranges(scheduler.shards)}>
              {scheduler.status === "offline" ? (
                <Time at={scheduler.heartbeat_at} />
              ) : (
                plural(scheduler.shards.length, "shard")
              )}
            </span>
          </li>
        ))}
      </ul>
      {alive.length > MOST ? <p className="text-xs text-muted">and {alive.length - MOST} more</p> : null}
    </div>
  );
}

/** Shards that do not fire, and why; hidden if all do. */
function Firing({ alive, free, shards }: { alive: number; free: number; shards: number }) {
  if (alive === 0) {
    return (
      <p className="text-sm text-failed-text">
        No live schedulers: nothing fires. Start one with <code className="font-mono text-xs">horae scheduler</code>.
      </p>
    );
  }
  if (free === 0) return null;
  return (
    <p className="text-sm text-paused-text">
      {free} of {plural(shards, "shard")} have no scheduler; their jobs do not fire until one takes over.
    </p>
  );
}
