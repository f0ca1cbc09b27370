import type { JobView } from "@/api/schema";
import { Checks } from "@/components/ui/checks";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { ServerText } from "@/components/ui/server-text";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useExplanation } from "./queries";
import { zoneOf } from "./zone";

/** Why it does or does not run: the root cause, and every check on the way to its next run. */
export function WhyTab({ job }: { job: JobView }) {
  const why = useExplanation(job.id);
  if (why.error && !why.data) return <ErrorState error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <SkeletonLines lines={8} />;
  return (
    <Panel title="Why it runs or doesn't" actions={<At at={why.data.at} />}>
      <p className="text-base font-medium break-words">
        <ServerText text={why.data.summary} zone={zoneOf(job)} />
      </p>
      <h3 className="mt-4 mb-1 text-xs font-medium text-muted">Checks</h3>
      <Checks gates={why.data.gates} cause={why.data.cause} zone={zoneOf(job)} />
    </Panel>
  );
}

function At({ at }: { at: string }) {
  return (
    <span className="self-center text-xs text-muted">
      as of <Time at={at} />
    </span>
  );
}
