import { CircleCheckBig, History, SearchX } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { AlertView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useUrlState } from "@/lib/url-state";
import { useRowFocus } from "@/lib/use-row-focus";
import { plural } from "@/lib/words";
import { AlertFilters } from "./alert-filters";
import { AlertRow } from "./alert-row";
import { useAlertVerbs, useMayCare } from "./alert-verbs";
import { DEFAULTS, type Filters, isNarrowed, queryOf } from "./filters";
import { useAlerts } from "./queries";
import { SilenceDialog } from "./silence-dialog";

export default function AlertsPage() {
  const [filters, setFilters] = useUrlState(DEFAULTS);
  const alerts = useAlerts(queryOf(filters));
  const items = alerts.data?.items;
  return (
    <>
      <PageHeader title="Alerts" description="What is wrong now, what to do about it, and what went wrong before." />
      <AlertFilters filters={filters} onChange={setFilters} shown={items ?? []} />
      <div className="rounded-lg border border-line bg-surface">
        {alerts.error && !items ? <ErrorState error={alerts.error} onRetry={() => void alerts.refetch()} /> : null}
        {!items && !alerts.error ? (
          <div className="p-4">
            <SkeletonLines lines={6} />
          </div>
        ) : null}
        {items?.length === 0 ? <Nothing filters={filters} onClear={() => setFilters(CLEAR)} /> : null}
        {items && items.length > 0 ? <AlertList alerts={items} /> : null}
      </div>
      <Pager nextCursor={alerts.data?.next_cursor}>
        {items?.length ? `${plural(items.length, "alert")} on this page` : ""}
      </Pager>
    </>
  );
}

const CLEAR = { severity: null, rule: null, job: null };

function Nothing({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  if (isNarrowed(filters)) {
    return (
      <EmptyState icon={SearchX} title="No alerts match" action={<Button onClick={onClear}>Clear filters</Button>} />
    );
  }
  return filters.state === "cleared" ? (
    <EmptyState icon={History} title="No alerts yet">
      Alerts that have cleared are listed here.
    </EmptyState>
  ) : (
    <EmptyState icon={CircleCheckBig} title="All clear">
      An alert opens when a job keeps failing or is late, when no worker can take a run, and the like. It clears on its
      own once the cause is gone.
    </EmptyState>
  );
}

function AlertList({ alerts }: { alerts: AlertView[] }) {
  const [silencing, setSilencing] = useState<AlertView | null>(null);
  const mayCare = useMayCare();
  const navigate = useNavigate();
  const { acknowledge, unsilence } = useAlertVerbs();
  const withOpen = (what: (alert: AlertView) => void) => (at: number) => {
    const alert = alerts[at];
    if (alert?.state === "open" && mayCare(alert)) what(alert);
  };
  const list = useRowFocus<HTMLUListElement>({
    group: "Alerts",
    count: alerts.length,
    keys: [
      { keys: "o", label: "Open", run: (at) => void navigate(`/alerts/${alerts[at]?.id}`) },
      {
        keys: "a",
        label: "Acknowledge",
        run: withOpen((alert) => {
          if (!alert.acknowledged_at) void acknowledge(alert);
        }),
      },
      { keys: "s", label: "Silence", run: withOpen(setSilencing) },
    ],
  });
  return (
    <>
      <ul ref={list} aria-label="Alerts" className="divide-y divide-line text-sm">
        {alerts.map((alert) => (
          <li
            key={alert.id}
            data-row
            tabIndex={-1}
            className="px-4 py-3 first:rounded-t-lg last:rounded-b-lg focus:bg-hover focus:outline-2 focus:-outline-offset-2 focus:outline-ring"
          >
            <AlertRow
              alert={alert}
              mayCare={mayCare(alert)}
              onAcknowledge={() => void acknowledge(alert)}
              onSilence={() => setSilencing(alert)}
              onUnsilence={() => void unsilence(alert)}
            />
          </li>
        ))}
      </ul>
      {silencing ? <SilenceDialog alert={silencing} onClose={() => setSilencing(null)} /> : null}
    </>
  );
}
