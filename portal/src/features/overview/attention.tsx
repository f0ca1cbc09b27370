import type { ReactNode } from "react";
import { Link } from "react-router";
import type { AlertView, MonitoredAlertsView, SchedulerView, TroubleView, WorkerView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { countOf, needing } from "@/features/alerts/attention";
import { Door } from "@/features/alerts/door";
import { SeverityIcon } from "@/features/alerts/severity";
import { tasked } from "@/features/workers/trouble-note";
import { plural } from "@/lib/words";

const MOST = 5;

interface AttentionProps {
  alerts: MonitoredAlertsView | undefined;
  workers: WorkerView[] | undefined;
  schedulers: SchedulerView[] | undefined;
}

/** What somebody has to do something about, the worst first: open alerts, and processes that keep failing. */
export function Attention({ alerts, workers = [], schedulers = [] }: AttentionProps) {
  const broken = failing(workers, schedulers);
  const count = countOf(alerts) + broken.length;
  if (count === 0) return null;
  const lines = [
    ...broken.map((one) => <FailingLine key={one.id} one={one} />),
    ...needing(alerts).map((alert) => <AlertLine key={alert.id} alert={alert} />),
  ].slice(0, MOST);
  return (
    <section aria-labelledby="needs-attention" className="rounded-lg border border-line bg-surface">
      <div className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <h2 id="needs-attention" className="text-sm font-semibold">
          Needs attention
        </h2>
        <Link to="/alerts" className="rounded text-xs text-accent hover:underline">
          {count > lines.length ? `All ${plural(count, "alert")}` : "All alerts"}
        </Link>
      </div>
      <ul className="divide-y divide-line text-sm">{lines}</ul>
    </section>
  );
}

interface LineProps {
  severity: AlertView["severity"];
  door: ReactNode;
  children: ReactNode;
}

function Line({ severity, door, children }: LineProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-2.5 sm:flex-nowrap">
      <SeverityIcon severity={severity} className="mt-0.5" />
      <div className="min-w-0 flex-1 basis-64 break-words">{children}</div>
      <div className="shrink-0 pl-7 sm:pl-0">{door}</div>
    </li>
  );
}

function AlertLine({ alert }: { alert: AlertView }) {
  return (
    <Line severity={alert.severity} door={<Door alert={alert} />}>
      <p>
        <Link to={`/alerts/${alert.id}`} className="rounded font-medium hover:text-accent hover:underline">
          {alert.title}
        </Link>{" "}
        <span className="text-xs whitespace-nowrap text-muted">
          · began <Time at={alert.since} />
        </span>
      </p>
      <p className="mt-0.5 line-clamp-2 text-soft">
        <ServerText text={alert.why} />
      </p>
      {alert.action.text ? (
        <p className="mt-0.5 text-xs text-muted">
          <ServerText text={`Fix: ${alert.action.text}`} />
        </p>
      ) : null}
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
  const door = (
    <Button asChild size="sm">
      <Link to={to} aria-label={`Open workers: ${name}`}>
        Open workers
      </Link>
    </Button>
  );
  return (
    <Line severity="critical" door={door}>
      <p>
        <span className="font-medium">{name}</span> keeps failing to {tasked(trouble)} (began{" "}
        <Time at={trouble.since} />
        ): {trouble.reason}
      </p>
    </Line>
  );
}
