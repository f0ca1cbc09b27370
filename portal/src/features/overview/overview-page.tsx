import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { useMonitoredAlerts } from "@/features/alerts/queries";
import { useQueues } from "@/features/queues/queries";
import { useWorkers } from "@/features/workers/queries";
import { useUrlState } from "@/lib/url-state";
import { Attention } from "./attention";
import { FailuresPanel } from "./failures-panel";
import { FleetPanel } from "./fleet-panel";
import { LatenessChart } from "./lateness-chart";
import { useNumbers, useRecentFailures, useSchedulers, useSeries } from "./queries";
import { QueueAgeChart } from "./queue-age-chart";
import { QueuesPanel } from "./queues-panel";
import { ResultsChart } from "./results-chart";
import { spanOf } from "./series";
import { Tiles } from "./tiles";
import { UtilisationChart } from "./utilisation-chart";

export default function OverviewPage() {
  const [url, setUrl] = useUrlState({ span: "day" });
  const span = spanOf(url.span);
  const numbers = useNumbers();
  const series = useSeries(span);
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
          <Tiles numbers={numbers.data} series={series.data} span={span.words} />
          <ResultsChart series={series.data} span={span} onSpan={(next) => setUrl({ span: next })} />
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
            <QueueAgeChart series={series.data} span={span} />
            <UtilisationChart series={series.data} span={span} />
            <LatenessChart series={series.data} span={span} />
            <FailuresPanel runs={failures.data?.items} />
            <FleetPanel workers={workers.data?.items} schedulers={schedulers.data} />
            <QueuesPanel queues={queues.data?.items} />
          </div>
        </div>
      )}
    </>
  );
}
