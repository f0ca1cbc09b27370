import { countOf, needing } from "@/features/alerts/attention";
import { useMonitoredAlerts } from "@/features/alerts/queries";
import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";

/** The number of alerts that need attention, in the menu; hidden if there are none. */
export function AttentionCount() {
  const { data } = useMonitoredAlerts();
  const count = countOf(data);
  if (count === 0) return null;
  const critical = needing(data).some((alert) => alert.severity === "critical");
  return (
    <span
      className={cn(
        "min-w-5 rounded-full px-1.5 py-px text-center text-xs font-medium tabular-nums",
        critical ? "bg-failed-soft text-failed-text" : "bg-paused-soft text-paused-text",
      )}
    >
      <span aria-hidden>{count > 99 ? "99+" : count}</span>
      <span className="sr-only">{`${plural(count, "alert")} ${count === 1 ? "needs" : "need"} attention`}</span>
    </span>
  );
}
