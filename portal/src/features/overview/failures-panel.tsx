import { CircleCheckBig } from "lucide-react";
import { Link } from "react-router";
import type { RunView } from "@/api/schema";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { JobTime } from "@/features/job/job-time";
import { said } from "@/lib/words";

const MOST = 8;

/** Recent failures with their errors: each job once, by its latest failure. */
export function FailuresPanel({ runs }: { runs: RunView[] | undefined }) {
  const jobs = byJob(runs ?? []).slice(0, MOST);
  return (
    <Panel
      title="Recent failures"
      actions={
        <Link to="/dead-letters" className="rounded text-xs text-accent hover:underline">
          Dead letters
        </Link>
      }
    >
      {runs === undefined ? <SkeletonLines lines={5} /> : null}
      {runs?.length === 0 ? (
        <p className="flex items-center gap-2 text-sm text-muted">
          <CircleCheckBig aria-hidden className="size-4 text-succeeded" /> No failures.
        </p>
      ) : null}
      <ul className="-my-1 divide-y divide-line">
        {jobs.map(([run, failures]) => (
          <li key={run.id} className="flex items-baseline gap-3 py-1.5 text-sm">
            <div className="min-w-0 flex-1">
              <Link
                to={`/runs/${run.id}`}
                className="block truncate rounded font-medium hover:text-accent hover:underline"
              >
                {run.job_name}
              </Link>
              <p className="truncate text-xs text-muted" title={run.error ?? undefined}>
                {run.error ?? said(run.reason ?? "")}
              </p>
            </div>
            {failures > 1 ? (
              <span className="shrink-0 text-xs text-muted" title={`${failures} of the last ${runs?.length} failures`}>
                {failures} failures
              </span>
            ) : null}
            <span className="shrink-0 text-xs text-muted">
              <JobTime at={run.finished_at} job={run.job_id} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The latest failed run of each job and their number, most recent first. */
function byJob(runs: RunView[]): [latest: RunView, runs: number][] {
  const sorted = runs.toSorted((one, other) => (other.finished_at ?? "").localeCompare(one.finished_at ?? ""));
  const found = new Map<string, [RunView, number]>();
  for (const run of sorted) {
    const [latest, count] = found.get(run.job_id) ?? [run, 0];
    found.set(run.job_id, [latest, count + 1]);
  }
  return [...found.values()];
}
