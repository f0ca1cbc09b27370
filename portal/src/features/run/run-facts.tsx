import type { ReactNode } from "react";
import { Link } from "react-router";
import type { RunDetailView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { JobTime } from "@/features/job/job-time";
import { RunDuration } from "@/features/runs/run-duration";
import { plural, said } from "@/lib/words";
import { useWorkerNames } from "./queries";

const LINK = "rounded text-accent hover:underline";

const REASONS: Record<string, string> = {
  attempts: "no attempts left",
  permanent: "permanent failure",
  expired: "not started in time",
  definition: "its definition could not be read",
  quota: "the project's quota of live runs was used up",
  overlap: "the previous run was still running",
  missed: "missed, and not caught up",
  blackout: "fell in a blackout",
  dst_gap: "skipped by daylight saving",
  disabled: "the job was disabled",
  paused: "the job was paused",
};

/** The key facts of a run, with links to everything it belongs to. */
export function RunFacts({ run }: { run: RunDetailView }) {
  const nameOf = useWorkerNames();
  const facts: [string, ReactNode][] = [
    [
      "Job",
      <span key="job">
        <Link to={`/jobs/${run.job_id}`} className={LINK}>
          {run.job_name}
        </Link>{" "}
        <Link
          to={`/jobs/${run.job_id}?tab=versions&version=${run.version}`}
          className="rounded whitespace-nowrap text-muted hover:underline"
        >
          version {run.version}
        </Link>
      </span>,
    ],
    ["Started by", startedBy(run)],
    [
      "Scheduled for",
      run.scheduled_for ? <JobTime key="for" at={run.scheduled_for} job={run.job_id} as="absolute" /> : null,
    ],
    ["Due", run.status === "queued" ? <JobTime key="due" at={run.due_at} job={run.job_id} as="countdown" /> : null],
    ["Started", run.started_at ? <JobTime key="started" at={run.started_at} job={run.job_id} /> : null],
    ["Duration", run.started_at ? <RunDuration key="duration" run={run} /> : null],
    ["Attempt", run.attempt > 0 ? `${run.attempt} of ${run.max_attempts}` : null],
    ["Queue", `${run.queue}, priority ${run.priority}`],
    [
      "Worker",
      run.worker_id ? (
        <Link key="worker" to={`/runs?worker=${run.worker_id}`} className={LINK}>
          {nameOf(run.worker_id)}
        </Link>
      ) : null,
    ],
    ...held(run),
    ["Last attempt", run.outcome && run.outcome !== run.status ? said(run.outcome) : null],
    ["Exit code", run.exit_code],
    ["Response", run.response_code === null ? null : `HTTP ${run.response_code}`],
    ["Reason", run.reason ? (REASONS[run.reason] ?? said(run.reason)) : null],
    ["Occurrences", run.occurrences > 1 ? plural(run.occurrences, "occurrence") : null],
    ["Retry of", run.rerun_of ? <Other key="of" id={run.rerun_of} /> : null],
    ["After", run.parent_run_id ? <Other key="parent" id={run.parent_run_id} /> : null],
    [
      "Dead letter",
      run.dead_since ? (
        <span key="dead">
          <Link to={`/dead-letters?job=${run.job_id}`} className={LINK}>
            needs attention
          </Link>
        </span>
      ) : null,
    ],
    [
      "ID",
      <span key="id" className="flex items-center gap-1">
        <code className="truncate font-mono text-xs">{run.id}</code>
        <CopyButton text={run.id} label="Copy ID" />
      </span>,
    ],
    [
      "Trace",
      <span key="trace" className="flex items-center gap-1">
        <Trace run={run} />
        <CopyButton text={run.trace_id} label="Copy trace ID" />
      </span>,
    ],
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 rounded-lg border border-line bg-surface p-4 sm:grid-cols-3 lg:grid-cols-5">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className="mt-0.5 min-w-0 text-sm break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Which scheduler fired it, and until when its worker holds it. */
function held(run: RunDetailView): [string, ReactNode][] {
  return [
    [
      "Fired by",
      run.scheduler_id ? (
        <code key="scheduler" className="font-mono text-xs">
          {run.scheduler_id}
        </code>
      ) : null,
    ],
    [
      "Lease until",
      run.lease_until ? <JobTime key="lease" at={run.lease_until} job={run.job_id} as="countdown" /> : null,
    ],
  ];
}

function startedBy(run: RunDetailView): string {
  if (!run.triggered_by) return run.trigger;
  return `${run.triggered_by.replace(/^(user|key):/, "")} (${run.trigger})`;
}

function Trace({ run }: { run: RunDetailView }) {
  const id = <code className="truncate font-mono text-xs">{run.trace_id}</code>;
  if (!run.trace_url) return id;
  return (
    <a href={run.trace_url} target="_blank" rel="noopener noreferrer" className={`${LINK} flex min-w-0`}>
      {id}
    </a>
  );
}

function Other({ id }: { id: string }) {
  return (
    <Link to={`/runs/${id}`} className={`${LINK} font-mono text-xs`}>
      {id.slice(0, 8)}…
    </Link>
  );
}
