import type { ColumnDef } from "@tanstack/react-table";
import { Ban, RotateCcw } from "lucide-react";
import { Link } from "react-router";
import type { RunView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { StatusBadge } from "@/components/ui/status-badge";
import { Tooltip } from "@/components/ui/tooltip";
import { JobTime } from "@/features/job/job-time";
import { said } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { RunDuration } from "./run-duration";
import { isLive, useCancelRun, useRetryRun } from "./run-verbs";

export const runColumns: ColumnDef<RunView>[] = [
  {
    id: "status",
    header: "Status",
    meta: { className: "w-px" },
    cell: ({ row: { original: run } }) => <StatusBadge status={run.parked ? "parked" : run.status} />,
  },
  {
    id: "job",
    header: "Job",
    meta: { className: "max-w-40 sm:max-w-80" },
    cell: ({ row: { original: run } }) => (
      <div className="min-w-0">
        <Link to={`/runs/${run.id}`} className="block truncate rounded font-medium hover:text-accent hover:underline">
          {run.job_name}
        </Link>
        {run.error || run.reason ? (
          <span className="block truncate text-xs text-muted" title={run.error ?? undefined}>
            {run.error ?? said(run.reason ?? "")}
          </span>
        ) : null}
        <span className="text-xs text-muted sm:hidden">
          <JobTime at={run.due_at ?? run.created_at} job={run.job_id} /> · <RunDuration run={run} />
        </span>
      </div>
    ),
  },
  {
    id: "trigger",
    header: "Trigger",
    meta: { className: "hidden md:table-cell" },
    cell: ({ row: { original: run } }) => <span className="text-soft">{run.trigger}</span>,
  },
  {
    id: "attempt",
    header: "Attempt",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: run } }) =>
      run.attempt > 0 ? (
        <span className="text-soft">
          {run.attempt} of {run.max_attempts}
        </span>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    id: "due",
    header: "Due",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: run } }) => <JobTime at={run.due_at ?? run.created_at} job={run.job_id} />,
  },
  {
    id: "duration",
    header: "Duration",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: run } }) => <RunDuration run={run} />,
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "w-10 pl-0" },
    cell: ({ row: { original: run } }) => <RunActions run={run} />,
  },
];

function RunActions({ run }: { run: RunView }) {
  const can = useCan();
  const cancel = useCancelRun();
  const retry = useRetryRun();
  if (isLive(run.status)) {
    return can("runs:cancel") ? (
      <Tooltip content="Cancel">
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={`Cancel the run of ${run.job_name}`}
          onClick={() => void cancel(run)}
        >
          <Ban />
        </Button>
      </Tooltip>
    ) : null;
  }
  return can("jobs:run") ? (
    <Tooltip content="Retry">
      <Button variant="ghost" size="icon-sm" aria-label={`Retry the run of ${run.job_name}`} onClick={() => retry(run)}>
        <RotateCcw />
      </Button>
    </Tooltip>
  ) : null;
}
