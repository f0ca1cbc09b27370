import { Link } from "react-router";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { Care } from "./care";
import { Door } from "./door";
import { useAlerts } from "./queries";
import { SeverityIcon } from "./severity";

/** The open alerts of a job or a ping. */
export function useOpenAlerts(subject: string) {
  return useAlerts({ job: subject, state: "open", limit: 20 }).data?.items ?? [];
}

interface OpenAlertsProps {
  /** The id of a job or a ping. */
  subject: string;
  /** The page that this is shown on: no button leads there. */
  own: string;
  zone?: string | undefined;
}

export function OpenAlerts({ subject, own, zone }: OpenAlertsProps) {
  const alerts = useOpenAlerts(subject);
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
                began <Time at={alert.since} zone={zone} />
              </span>
              <Care alert={alert} />
            </p>
            <p className="mt-0.5 text-soft">
              <ServerText text={alert.why} zone={zone} />
            </p>
          </div>
          {alert.action.path.split("?")[0] === own ? null : <Door alert={alert} />}
        </li>
      ))}
    </ul>
  );
}
