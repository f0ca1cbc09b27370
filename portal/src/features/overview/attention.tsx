import { Link } from "react-router";
import type { AlertView, MonitoredAlertsView } from "@/api/schema";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { countOf, needing } from "@/features/alerts/attention";
import { Door } from "@/features/alerts/door";
import { SeverityIcon } from "@/features/alerts/severity";
import { plural } from "@/lib/words";

const MOST = 5;

/** Open alerts that are neither acknowledged nor silenced, worst first. */
export function Attention({ alerts }: { alerts: MonitoredAlertsView | undefined }) {
  const count = countOf(alerts);
  if (count === 0) return null;
  const shown = needing(alerts).slice(0, MOST);
  return (
    <section aria-labelledby="needs-attention" className="rounded-lg border border-line bg-surface">
      <div className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <h2 id="needs-attention" className="text-sm font-semibold">
          Needs attention
        </h2>
        <Link to="/alerts" className="rounded text-xs text-accent hover:underline">
          {count > shown.length ? `All ${plural(count, "alert")}` : "All alerts"}
        </Link>
      </div>
      <ul className="divide-y divide-line text-sm">
        {shown.map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  );
}

function AlertLine({ alert }: { alert: AlertView }) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-2.5 sm:flex-nowrap">
      <SeverityIcon severity={alert.severity} className="mt-0.5" />
      <div className="min-w-0 flex-1 basis-64 break-words">
        <p>
          <Link to={`/alerts/${alert.id}`} className="rounded font-medium hover:text-accent hover:underline">
            {alert.title}
          </Link>{" "}
          <span className="text-xs whitespace-nowrap text-muted">
            · began <Time at={alert.since} />
          </span>
        </p>
        <p className="mt-0.5 line-clamp-2 text-soft">
          <ServerText text={alert.why} />
        </p>
        {alert.action.text ? (
          <p className="mt-0.5 text-xs text-muted">
            <ServerText text={`Fix: ${alert.action.text}`} />
          </p>
        ) : null}
      </div>
      <div className="shrink-0 pl-7 sm:pl-0">
        <Door alert={alert} />
      </div>
    </li>
  );
}
