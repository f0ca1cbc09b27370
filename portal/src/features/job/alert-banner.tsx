import { Link } from "react-router";
import type { JobView } from "@/api/schema";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { Care } from "@/features/alerts/care";
import { Door } from "@/features/alerts/door";
import { useAlerts } from "@/features/alerts/queries";
import { SeverityIcon } from "@/features/alerts/severity";
import { zoneOf } from "./zone";

/** The alerts of a job that are open now. */
export function useJobAlerts(job: JobView) {
  return useAlerts({ job: job.id, state: "open", limit: 20 }).data?.items ?? [];
}

export function AlertBanner({ job }: { job: JobView }) {
  const alerts = useJobAlerts(job);
  if (alerts.length === 0) return null;
  return (
    <ul aria-label="Open alerts" className="mb-4 divide-y divide-line rounded-lg border border-line bg-surface text-sm">
      {alerts.map((alert) => (
        <li key={alert.id} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-2.5 sm:flex-nowrap">
          <SeverityIcon severity={alert.severity} className="mt-0.5" />
          <div className="min-w-0 flex-1 basis-64 break-words">
            <p className="flex flex-wrap items-center gap-x-2">
              <Link to={`/alerts/${alert.id}`} className="rounded font-medium hover:text-accent hover:underline">
                {alert.title}
              </Link>
              <span className="text-xs text-muted">
                began <Time at={alert.since} zone={zoneOf(job)} />
              </span>
              <Care alert={alert} />
            </p>
            <p className="mt-0.5 text-soft">
              <ServerText text={alert.why} zone={zoneOf(job)} />
            </p>
          </div>
          {alert.action.path === `/jobs/${job.id}` ? null : <Door alert={alert} />}
        </li>
      ))}
    </ul>
  );
}
