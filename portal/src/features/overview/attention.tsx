import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { SchedulerView, StrandedGroupView, TroubleView, WorkerView } from "@/api/schema";
import { Time } from "@/components/ui/time";
import { tasked } from "@/features/workers/trouble-note";
import { plural } from "@/lib/words";

const MOST = 5;

interface AttentionProps {
  stranded: StrandedGroupView[] | undefined;
  workers: WorkerView[] | undefined;
  schedulers: SchedulerView[] | undefined;
}

/** What waits or fails without ever ending: it would not be seen among the numbers. */
export function Attention({ stranded = [], workers = [], schedulers = [] }: AttentionProps) {
  const lines = [
    ...stranded.map((group) => <Stranded key={`${group.queue} ${group.needs}`} group={group} />),
    ...failing(workers, schedulers).map((one) => <FailingLine key={one.id} one={one} />),
  ];
  if (lines.length === 0) return null;
  return (
    <section
      aria-label="Needs attention"
      className="space-y-2 rounded-lg border border-line bg-failed-soft px-4 py-3 text-sm text-failed-text"
    >
      {lines.slice(0, MOST)}
      {lines.length > MOST ? <p className="pl-7 text-xs">and {lines.length - MOST} more</p> : null}
    </section>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 break-words">{children}</div>
    </div>
  );
}

function Stranded({ group }: { group: StrandedGroupView }) {
  const { queue, needs, runs, since, unblock } = group;
  return (
    <Line>
      <p>
        <Link
          to={`/runs?status=queued&queue=${encodeURIComponent(queue)}`}
          className="rounded font-medium underline underline-offset-2"
        >
          {plural(runs, "run")}
        </Link>{" "}
        cannot start: no live worker offers {needs} (queue {queue}). The oldest was due <Time at={since} />.
      </p>
      {unblock ? <p className="mt-0.5 text-xs">Fix: {unblock}</p> : null}
    </Line>
  );
}

interface Failing {
  id: string;
  name: string;
  to: string;
  trouble: TroubleView;
}

function failing(workers: WorkerView[], schedulers: SchedulerView[]): Failing[] {
  const found: Failing[] = [];
  for (const { id, name, status, trouble } of workers) {
    if (trouble && status !== "offline" && status !== "stopped")
      found.push({ id, name: `Worker ${name}`, to: "/workers", trouble });
  }
  for (const { id, hostname, status, trouble } of schedulers) {
    if (trouble && status !== "offline")
      found.push({ id, name: `Scheduler on ${hostname}`, to: "/workers?tab=schedulers", trouble });
  }
  return found;
}

function FailingLine({ one: { name, to, trouble } }: { one: Failing }) {
  return (
    <Line>
      <p>
        <Link to={to} className="rounded font-medium underline underline-offset-2">
          {name}
        </Link>{" "}
        keeps failing to {tasked(trouble)} (began <Time at={trouble.since} />
        ): {trouble.reason}
      </p>
    </Line>
  );
}
