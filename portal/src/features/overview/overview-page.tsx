import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { useMonitoredAlerts } from "@/features/alerts/queries";
import { useQueues } from "@/features/queues/queries";
import { useWorkers } from "@/features/workers/queries";
import { useUrlState } from "@/lib/url-state";
import { Attention } from "./attention";
import { FailuresPanel } from "./failures-panel";
import { FleetPanel } from "./fleet-panel";
import { FlowChart } from "./flow-chart";
import { LatenessChart } from "./lateness-chart";
import { useHours, useNumbers, useRecentFailures, useRecentRuns, useSchedulers } from "./queries";
import { QueuesPanel } from "./queues-panel";
import { ResultsChart } from "./results-chart";
import { Tiles } from "./tiles";

const HOURS: Record<string, number> = { day: 24, week: 168 };

export default function OverviewPage() {
  const [{ span }, setUrl] = useUrlState({ span: "day" });
  const numbers = useNumbers();
  const hours = useHours(HOURS[span] ?? 24);
  const recent = useRecentRuns();
  const failures = useRecentFailures();
  const workers = useWorkers();
  const schedulers = useSchedulers();
  const queues = useQueues();
  const alerts = useMonitoredAlerts();
  const error = numbers.data ? null : numbers.error;
  return (
    <>
      <PageHeader title="Overview" description="Health of all jobs, live." />
      {error ? (
        <ErrorState error={error} onRetry={() => void numbers.refetch()} />
      ) : (
        <div className="space-y-4">
          <Attention alerts={alerts.data} />
          <Tiles numbers={numbers.data} hours={hours.data?.items} span={span === "week" ? "7 days" : "24 hours"} />
          <ResultsChart hours={hours.data?.items} span={span} onSpan={(next) => setUrl({ span: next })} />
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
            <FlowChart numbers={numbers.data} />
            <LatenessChart runs={recent.data?.items} />
            <FailuresPanel runs={failures.data?.items} />
            <div className="space-y-4">
              <FleetPanel workers={workers.data?.items} schedulers={schedulers.data} />
              <QueuesPanel queues={queues.data?.items} />
            </div>
          </div>
        </div>
      )}
    </>
  );
}
