import type { ColumnDef } from "@tanstack/react-table";
import { Layers, Pause, StepForward } from "lucide-react";
import { Link } from "react-router";
import type { QueueView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Select } from "@/components/ui/select";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { count } from "@/lib/durations";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { useChooseEngine, useHoldQueue, useQueues } from "./queries";

export function QueuesTab() {
  const queues = useQueues();
  return (
    <div className="rounded-lg border border-line bg-surface">
      <DataTable
        caption="Queues"
        columns={COLUMNS}
        list={queues}
        rowId={(queue) => queue.name}
        empty={
          <EmptyState icon={Layers} title="No queues yet">
            A queue exists as soon as a job uses it. The default queue is{" "}
            <code className="font-mono text-xs">default</code>.
          </EmptyState>
        }
      />
    </div>
  );
}

const COLUMNS: ColumnDef<QueueView>[] = [
  {
    id: "name",
    header: "Queue",
    meta: { className: "max-w-28 sm:max-w-64" },
    cell: ({ row: { original: queue } }) => (
      <Link
        to={`/jobs?queue=${encodeURIComponent(queue.name)}`}
        className="block truncate rounded font-medium hover:text-accent hover:underline"
      >
        {queue.name}
      </Link>
    ),
  },
  {
    id: "projects",
    header: "Reserved for",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: queue } }) =>
      queue.reserved ? (
        <span className="flex flex-wrap gap-1">
          {queue.projects.map((slug) => (
            <Badge key={slug}>{slug}</Badge>
          ))}
          {queue.projects.length === 0 ? <span className="text-muted">other projects</span> : null}
        </span>
      ) : (
        <span className="text-muted">all projects</span>
      ),
  },
  {
    id: "engine",
    header: "Engine",
    meta: { className: "hidden md:table-cell" },
    cell: ({ row: { original: queue } }) => <Engine queue={queue} />,
  },
  {
    id: "queued",
    header: "Queued",
    cell: ({ row: { original: queue } }) => (
      <Link
        to={`/runs?status=queued&queue=${encodeURIComponent(queue.name)}`}
        className="rounded hover:text-accent hover:underline"
      >
        {count(queue.queued)}
      </Link>
    ),
  },
  {
    id: "running",
    header: "Running",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: queue } }) => count(queue.running),
  },
  { id: "state", header: "Served by", cell: ({ row: { original: queue } }) => <State queue={queue} /> },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "pl-0 text-right" },
    cell: ({ row: { original: queue } }) => <Hold queue={queue} />,
  },
];

function State({ queue }: { queue: QueueView }) {
  if (queue.paused) {
    return (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted">
        <StatusBadge status="paused" />
        {queue.paused_by ? (
          <span className="hidden sm:inline">
            by {queue.paused_by}, <Time at={queue.paused_at} />
          </span>
        ) : null}
      </span>
    );
  }
  if (!queue.served) return <Badge tone="failed">none</Badge>;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="text-soft whitespace-nowrap">{plural(queue.workers, "worker")}</span>
      {queue.stranded > 0 ? (
        <Link to={`/runs?status=queued&queue=${encodeURIComponent(queue.name)}`} className="rounded">
          <Badge tone="failed">
            {count(queue.stranded)} stranded<span className="sr-only">: no worker can take {them(queue.stranded)}</span>
          </Badge>
        </Link>
      ) : null}
    </span>
  );
}

const them = (runs: number) => (runs === 1 ? "it" : "them");

/** Where there is no broker, there is nothing to choose. */
function Engine({ queue }: { queue: QueueView }) {
  const can = useCan();
  const choose = useChooseEngine();
  if (!can("queues:engine") || queue.engines.length < 2) return <span className="text-muted">{queue.carried_by}</span>;
  const settings = queue.engine ? "as the settings say" : `${queue.carried_by} (settings)`;
  return (
    <Select
      aria-label={`Engine of the queue ${queue.name}`}
      choices={[{ value: "", label: settings }, ...queue.engines.map((value) => ({ value, label: value }))]}
      value={queue.engine ?? ""}
      onValue={(value) => void choose(queue, value === "database" || value === "celery" ? value : null)}
    />
  );
}

function Hold({ queue }: { queue: QueueView }) {
  const can = useCan();
  const hold = useHoldQueue();
  if (!can("queues:pause")) return null;
  return (
    <Button
      size="sm"
      aria-label={`${queue.paused ? "Resume" : "Pause"} the queue ${queue.name}`}
      onClick={() => void hold(queue, !queue.paused)}
    >
      {queue.paused ? <StepForward /> : <Pause />}
      <span className="hidden sm:inline">{queue.paused ? "Resume" : "Pause"}</span>
    </Button>
  );
}
