import type { UseQueryResult } from "@tanstack/react-query";
import type { AttemptViewListing, RunDetailView } from "@/api/schema";
import { ErrorState } from "@/components/ui/error-state";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { Table, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { duration } from "@/lib/durations";
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
  const all = attempts.data.items;
  if (all.length === 0) return <p className="text-sm text-muted">No attempts yet.</p>;
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
                <StatusBadge status={one.outcome ?? (run.parked ? "parked" : "running")} />
              </Td>
              <Td className="hidden sm:table-cell">{nameOf(one.worker_id) ?? "–"}</Td>
              <Td className="hidden md:table-cell">
                <Time at={one.started_at} as="absolute" />
              </Td>
              <Td className="whitespace-nowrap">{duration(one.duration_ms)}</Td>
              <Td className="hidden md:table-cell">{one.response_code ?? one.exit_code ?? "–"}</Td>
              <Td className="max-w-md break-words">
                {one.error ?? ""}
                {one.traceback ? <Traceback text={one.traceback} /> : null}
                {one.result === null ? null : <Result value={one.result} />}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

function Result({ value }: { value: unknown }) {
  return (
    <details className="mt-2">
      <summary className="w-fit cursor-pointer rounded text-xs font-medium">Result</summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="mt-2 max-h-96 overflow-auto rounded bg-page p-3 font-mono text-xs break-words whitespace-pre-wrap text-text"
      >
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  );
}
