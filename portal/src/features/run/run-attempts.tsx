import type { UseQueryResult } from "@tanstack/react-query";
import type { AttemptView, AttemptViewListing, RunDetailView } from "@/api/schema";
import { ErrorState } from "@/components/ui/error-state";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { Table, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { duration } from "@/lib/durations";
import { toMillis } from "@/lib/times";
import { useWorkerNames } from "./queries";
import { Traceback } from "./run-error";

interface RunAttemptsProps {
  run: RunDetailView;
  attempts: UseQueryResult<AttemptViewListing>;
}

export function RunAttempts({ run, attempts }: RunAttemptsProps) {
  const nameOf = useWorkerNames();
  if (attempts.error) return <ErrorState error={attempts.error} onRetry={() => void attempts.refetch()} />;
  if (!attempts.data) return <SkeletonLines />;
  const all = withLast(run, attempts.data.items);
  if (all.length === 0) return <p className="text-sm text-muted">None was made yet.</p>;
  return (
    <div className="rounded-lg border border-line bg-surface">
      <Table>
        <caption className="sr-only">Attempts</caption>
        <thead>
          <tr>
            <Th>Attempt</Th>
            <Th>Outcome</Th>
            <Th className="hidden sm:table-cell">Worker</Th>
            <Th className="hidden md:table-cell">Started</Th>
            <Th>Took</Th>
            <Th className="hidden md:table-cell">Code</Th>
            <Th>Error</Th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => (
            <Tr key={one.n}>
              <Td>{one.n}</Td>
              <Td>
                <StatusBadge status={one.outcome ?? "running"} />
              </Td>
              <Td className="hidden sm:table-cell">{nameOf(one.worker_id) ?? "–"}</Td>
              <Td className="hidden md:table-cell">
                <Time at={one.started_at} as="absolute" />
              </Td>
              <Td className="whitespace-nowrap">{duration(took(one))}</Td>
              <Td className="hidden md:table-cell">{one.response_code ?? one.exit_code ?? "–"}</Td>
              <Td className="max-w-md break-words">
                {one.error ?? ""}
                {one.traceback ? <Traceback text={one.traceback} /> : null}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** The list has those that did not end the run; the last is told by the run itself. */
export function withLast(run: RunDetailView, listed: AttemptView[]): AttemptView[] {
  if (run.attempt === 0 || run.status === "queued" || !run.started_at) return listed;
  if (listed.some((one) => one.n === run.attempt)) return listed;
  const { worker_id, started_at, finished_at, error, exit_code, response_code, traceback } = run;
  const outcome = run.status === "running" ? (run.parked ? "parked" : null) : run.status;
  const last = {
    n: run.attempt,
    worker_id,
    started_at,
    finished_at,
    outcome,
    error,
    exit_code,
    response_code,
    traceback,
  };
  return [...listed, last];
}

function took(one: AttemptView): number | null {
  return one.started_at && one.finished_at ? toMillis(one.finished_at) - toMillis(one.started_at) : null;
}
