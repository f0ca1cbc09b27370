import type { JobView } from "@/api/schema";
import { OccurrenceList } from "@/components/occurrence-list";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { ServerText } from "@/components/ui/server-text";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useNext } from "../queries";
import { clockOf, zoneOf } from "../zone";

const COUNT = 8;

/** What its schedule will do. */
export function NextPanel({ job }: { job: JobView }) {
  const next = useNext(job.id, COUNT);
  return (
    <Panel title="Next occurrences">
      {next.error && !next.data ? <ErrorState error={next.error} onRetry={() => void next.refetch()} /> : null}
      {next.isPending ? <SkeletonLines lines={5} /> : null}
      {next.data ? (
        <>
          <p className="mb-3 text-sm font-medium">{next.data.words}</p>
          {next.data.note ? (
            <p className="mb-3 text-sm text-paused-text">
              <ServerText text={next.data.note} zone={zoneOf(job)} />
            </p>
          ) : null}
          {next.data.occurrences.length > 0 ? (
            <OccurrenceList occurrences={next.data.occurrences} zone={clockOf(job)} />
          ) : (
            <p className="text-sm text-muted">No upcoming occurrences.</p>
          )}
        </>
      ) : null}
    </Panel>
  );
}
