import type { ColumnDef } from "@tanstack/react-table";
import { ShieldCheck } from "lucide-react";
import type { WorkerView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { plural } from "@/lib/words";
import { isAlive } from "./fleet";
import { useWorkers } from "./queries";

/** For each worker: the projects it serves, the user and sandbox of its code, and what that could read. */
export function IsolationTab() {
  const workers = useWorkers();
  return (
    <div className="rounded-lg border border-line bg-surface">
      <DataTable
        caption="Isolation"
        columns={COLUMNS}
        list={workers}
        rows={workers.data?.items.filter(isAlive)}
        rowId={(worker) => worker.id}
        empty={
          <EmptyState icon={ShieldCheck} title="No live workers">
            Once one starts, this shows how it separates the code of jobs from itself and from other projects.
          </EmptyState>
        }
      />
    </div>
  );
}

const COLUMNS: ColumnDef<WorkerView>[] = [
  {
    id: "worker",
    header: "Worker",
    meta: { className: "max-w-56 align-top break-words whitespace-normal sm:max-w-64" },
    cell: ({ row: { original: worker } }) => (
      <div className="space-y-1">
        <span className="font-medium">{worker.name}</span>
        <div className="sm:hidden">
          <Serves worker={worker} />
        </div>
        <div className="md:hidden">
          <Code worker={worker} />
        </div>
      </div>
    ),
  },
  {
    id: "serves",
    header: "Serves",
    meta: { className: "hidden align-top whitespace-normal sm:table-cell" },
    cell: ({ row: { original: worker } }) => <Serves worker={worker} />,
  },
  {
    id: "code",
    header: "Code of jobs",
    meta: { className: "hidden align-top whitespace-normal md:table-cell" },
    cell: ({ row: { original: worker } }) => <Code worker={worker} />,
  },
  {
    id: "verdict",
    header: "Owners of projects",
    meta: { className: "align-top whitespace-normal" },
    cell: ({ row: { original: worker } }) => <Verdict worker={worker} />,
  },
];

function Serves({ worker }: { worker: WorkerView }) {
  const bound = worker.projects.length + worker.other_projects > 0;
  const chosen = worker.queues.length + worker.other_queues > 0;
  return (
    <div className="flex flex-wrap gap-1 text-xs">
      {bound ? null : <span className="text-soft">all projects,</span>}
      {worker.projects.map((slug) => (
        <Badge key={slug}>{slug}</Badge>
      ))}
      <Others count={worker.other_projects} noun="project" />
      {chosen ? <span className="text-muted">on</span> : null}
      {chosen ? null : <span className="text-soft">{bound ? "no queue yet" : "all queues"}</span>}
      {worker.queues.map((queue) => (
        <Badge key={queue}>{queue}</Badge>
      ))}
      <Others count={worker.other_queues} noun="queue" />
    </div>
  );
}

/** Whose names only some users may see. */
function Others({ count, noun }: { count: number; noun: string }) {
  return count > 0 ? <span className="text-soft">{plural(count, `other ${noun}`)}</span> : null;
}

function Code({ worker: { isolation } }: { worker: WorkerView }) {
  if (!isolation || isolation.kinds.length === 0)
    return <span className="text-xs text-muted">{runsNone(isolation)}</span>;
  return (
    <div className="space-y-1 text-xs">
      <p>
        {isolation.kinds.join(", ")} as <code className="font-mono">{isolation.user}</code>,{" "}
        {isolation.unsandboxed === null ? `in a sandbox (${isolation.sandbox})` : "without a sandbox"}
      </p>
      {isolation.unsandboxed === null ? null : <p className="text-muted">{isolation.unsandboxed}</p>}
      <ul className="list-disc pl-4 text-soft">
        {isolation.readable.map((words) => (
          <li key={words}>can read {words}</li>
        ))}
      </ul>
    </div>
  );
}

const runsNone = (isolation: WorkerView["isolation"]) =>
  isolation ? "runs neither scripts nor artifacts" : "this version does not report it";

function Verdict({ worker: { isolation } }: { worker: WorkerView }) {
  if (!isolation) return <span className="text-xs text-muted">unknown</span>;
  if (isolation.owner_is_admin === null) return <Badge tone="succeeded">kept apart</Badge>;
  return (
    <div className="space-y-1">
      <Badge tone="failed">as good as admins</Badge>
      <p className="text-xs text-soft">{isolation.owner_is_admin}</p>
    </div>
  );
}
