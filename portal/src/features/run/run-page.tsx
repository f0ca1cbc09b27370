import { useParams } from "react-router";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import { useRunLog } from "./log/use-run-log";
import { useAttempts, useRun } from "./queries";
import { RunActions } from "./run-actions";
import { RunError } from "./run-error";
import { RunFacts } from "./run-facts";
import { RunProgress } from "./run-progress";
import { RunTabs } from "./run-tabs";
import { RunTimeline } from "./timeline/run-timeline";

export default function RunPage() {
  const { run: id = "" } = useParams();
  const run = useRun(id);
  const attempts = useAttempts(id);
  const log = useRunLog(id);
  if (run.error && !run.data) {
    return (
      <>
        <PageHeader title="Run" />
        <ErrorState error={run.error} onRetry={() => void run.refetch()} />
      </>
    );
  }
  if (!run.data) {
    return (
      <>
        <PageHeader title="Run" />
        <SkeletonLines lines={8} />
      </>
    );
  }
  const shown = run.data;
  return (
    <div className="space-y-4">
      <PageHeader
        title={`Run of ${shown.job_name}`}
        aside={<StatusBadge status={shown.parked ? "parked" : shown.status} />}
        actions={<RunActions run={shown} />}
      />
      <RunFacts run={shown} />
      <RunProgress run={shown} />
      <RunError run={shown} />
      {shown.status === "skipped" ? null : (
        <Panel title="Timeline">
          <RunTimeline run={shown} attempts={attempts.data?.items ?? []} />
        </Panel>
      )}
      <RunTabs run={shown} attempts={attempts} log={log} />
    </div>
  );
}
