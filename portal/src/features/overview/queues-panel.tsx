import { Link } from "react-router";
import type { QueueView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Table, Td, Th, Tr } from "@/components/ui/table";
import { count } from "@/lib/durations";

const MOST = 8;

/** The backlog of each queue, longest first. */
export function QueuesPanel({ queues }: { queues: QueueView[] | undefined }) {
  const sorted = [...(queues ?? [])].sort((a, b) => b.queued + b.running - (a.queued + a.running));
  return (
    <Panel
      title="Queues"
      actions={
        sorted.length > MOST ? (
          <Link to="/workers?tab=queues" className="rounded text-xs text-accent hover:underline">
            All {count(sorted.length)}
          </Link>
        ) : null
      }
    >
      {queues === undefined ? <SkeletonLines /> : null}
      {queues?.length === 0 ? <p className="text-sm text-muted">No queues yet.</p> : null}
      {sorted.length > 0 ? (
        <div className="-m-4">
          <Table>
            <caption className="sr-only">Queues</caption>
            <thead>
              <tr>
                <Th className="pl-4">Queue</Th>
                <Th className="text-right">Queued</Th>
                <Th className="text-right">Running</Th>
                <Th className="pr-4 text-right">Workers</Th>
              </tr>
            </thead>
            <tbody>
              {sorted.slice(0, MOST).map((queue) => (
                <Tr key={queue.name}>
                  <Td className="max-w-40 pl-4">
                    <span className="flex items-center gap-2">
                      <Link
                        to={`/runs?queue=${encodeURIComponent(queue.name)}`}
                        className="truncate rounded hover:text-accent hover:underline"
                      >
                        {queue.name}
                      </Link>
                      {queue.paused ? <Badge tone="paused">paused</Badge> : null}
                    </span>
                  </Td>
                  <Td className="text-right">{count(queue.queued)}</Td>
                  <Td className="text-right">{count(queue.running)}</Td>
                  <Td className="pr-4 text-right">
                    {queue.served ? queue.workers : <Badge tone="failed">none</Badge>}
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        </div>
      ) : null}
    </Panel>
  );
}
