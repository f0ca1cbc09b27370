import { CirclePause } from "lucide-react";
import { Link } from "react-router";
import type { RunView, WorkerView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Progress } from "@/components/ui/progress";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { RunDuration } from "@/features/runs/run-duration";
import { count } from "@/lib/durations";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { isAlive, offersOf } from "./fleet";
import { servesAll } from "./servable";
import { TroubleNote } from "./trouble-note";
import { useDrain } from "./use-drain";

interface WorkerCardProps {
  worker: WorkerView;
  runs: RunView[];
}

export function WorkerCard({ worker, runs }: WorkerCardProps) {
  const can = useCan();
  const drain = useDrain();
  const alive = isAlive(worker);
  return (
    <article aria-label={`Worker ${worker.name}`} className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="min-w-56 flex-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="font-medium break-all">{worker.name}</h2>
            <StatusBadge status={worker.status} />
          </div>
          <p className="mt-0.5 text-xs break-words text-muted">
            {worker.hostname} · pid {worker.pid} · {worker.platform} · Horae {worker.version}
          </p>
          <p className="mt-0.5 text-xs text-muted">
            Started <Time at={worker.started_at} /> · {worker.status === "stopped" ? "stopped" : "heartbeat"}{" "}
            <Time at={worker.heartbeat_at} /> · {""}
            {count(worker.runs_done)} runs done
            {worker.drain_requested_by ? ` · drained by ${worker.drain_requested_by}` : ""}
          </p>
        </div>
        {alive ? <Slots worker={worker} /> : null}
        {alive && worker.status !== "draining" && can("workers:drain") ? (
          <Button size="sm" onClick={() => void drain(worker)} aria-label={`Drain ${worker.name}`}>
            <CirclePause /> Drain
          </Button>
        ) : null}
      </div>
      {alive && worker.trouble ? <TroubleNote trouble={worker.trouble} /> : null}
      {alive ? <Offers worker={worker} /> : null}
      {alive ? <Isolation worker={worker} /> : null}
      {alive ? <Runs worker={worker} runs={runs} /> : null}
    </article>
  );
}

function Slots({ worker }: { worker: WorkerView }) {
  return (
    <div className="w-40">
      <div className="mb-1 flex justify-between text-xs">
        <span className="text-muted">Slots in use</span>
        <span>
          {worker.busy} of {worker.slots}
        </span>
      </div>
      <Progress
        value={worker.slots > 0 ? worker.busy / worker.slots : 0}
        label={`Slots of ${worker.name}: ${worker.busy} of ${worker.slots} in use`}
      />
    </div>
  );
}

const MOST = 12; // functions shown

/** Those whose names are not for us. */
function Others({ count, noun, alone }: { count: number; noun: string; alone: boolean }) {
  if (count === 0) return null;
  return <span className="py-0.5 text-muted">{alone ? plural(count, `other ${noun}`) : `and ${count} more`}</span>;
}

function Offers({ worker }: { worker: WorkerView }) {
  const { kinds, functions } = offersOf(worker);
  return (
    <dl className="mt-3 grid grid-cols-[5rem_1fr] gap-x-3 gap-y-1.5 text-xs">
      <dt className="py-0.5 text-muted">Queues</dt>
      <dd className="flex flex-wrap gap-1">
        {worker.queues.length + worker.other_queues === 0 ? (
          <span className="py-0.5 text-soft">{servesAll(worker) ? "all" : "none is reserved for its projects"}</span>
        ) : null}
        {worker.queues.map((queue) => (
          <Badge key={queue}>{queue}</Badge>
        ))}
        <Others count={worker.other_queues} noun="queue" alone={worker.queues.length === 0} />
      </dd>
      {worker.projects.length + worker.other_projects > 0 ? (
        <>
          <dt className="py-0.5 text-muted">Projects</dt>
          <dd className="flex flex-wrap gap-1">
            {worker.projects.map((slug) => (
              <Badge key={slug}>{slug}</Badge>
            ))}
            <Others count={worker.other_projects} noun="project" alone={worker.projects.length === 0} />
          </dd>
        </>
      ) : null}
      <dt className="py-0.5 text-muted">Offers</dt>
      <dd className="flex min-w-0 flex-wrap gap-1">
        {kinds.map((kind) => (
          <Badge key={kind}>{kind}</Badge>
        ))}
        {functions.slice(0, MOST).map((name) => (
          <Link
            key={name}
            to={`/functions?function=${encodeURIComponent(name)}`}
            className="rounded bg-sunken px-1.5 py-0.5 font-mono break-all text-accent hover:underline"
          >
            {name}
          </Link>
        ))}
        {functions.length > MOST ? (
          <span className="py-0.5 text-muted">and {plural(functions.length - MOST, "function")} more</span>
        ) : null}
      </dd>
    </dl>
  );
}

function Isolation({ worker }: { worker: WorkerView }) {
  const { isolation } = worker;
  if (!isolation || (isolation.kinds.length === 0 && isolation.owner_is_admin === null)) return null;
  const sandbox =
    isolation.unsandboxed === null
      ? `in a sandbox (${isolation.sandbox})`
      : `without a sandbox (${isolation.unsandboxed})`;
  return (
    <dl className="mt-1.5 grid grid-cols-[5rem_1fr] gap-x-3 gap-y-1.5 text-xs">
      <dt className="py-0.5 text-muted">Isolation</dt>
      <dd className="py-0.5 break-words">
        {isolation.kinds.length > 0 ? `Scripts run as ${isolation.user}, ${sandbox}. ` : ""}
        Jobs can read {isolation.readable.join("; ")}.
        {isolation.owner_is_admin === null ? null : (
          <p className="mt-1 text-failed-text">
            An owner of any project that this worker serves is an admin: {isolation.owner_is_admin}.
          </p>
        )}
      </dd>
    </dl>
  );
}

function Runs({ worker, runs }: WorkerCardProps) {
  const others = worker.busy - runs.length;
  if (runs.length === 0 && others <= 0) return null;
  return (
    <div className="mt-3 border-t border-line pt-2">
      <h3 className="text-xs text-muted">Running now</h3>
      <ul className="mt-1 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {runs.map((run) => (
          <li key={run.id} className="flex items-baseline gap-2 text-sm">
            <Link to={`/runs/${run.id}`} className="min-w-0 truncate rounded hover:text-accent hover:underline">
              {run.job_name}
            </Link>
            <span className="ml-auto text-xs whitespace-nowrap">
              <RunDuration run={run} />
            </span>
          </li>
        ))}
      </ul>
      {others > 0 ? (
        <p className="mt-1 text-xs text-muted">{`${plural(others, "slot")} starting, or running for another project`}</p>
      ) : null}
    </div>
  );
}
