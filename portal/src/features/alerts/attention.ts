import type { AlertView, MonitoredAlertsView } from "@/api/schema";

const LISTED = 50; // what the API lists at most

/** Alerts that need attention: open, not silenced, not acknowledged. */
export function needing(alerts: MonitoredAlertsView | undefined): AlertView[] {
  return alerts?.items.filter((alert) => alert.acknowledged_at === null) ?? [];
}

/** How many they are, also where there are more than the API lists. */
export function countOf(alerts: MonitoredAlertsView | undefined): number {
  if (!alerts) return 0;
  const listed = needing(alerts).length;
  if (alerts.items.length < LISTED) return listed;
  const { open, acknowledged, silenced } = alerts.alerts;
  return Math.max(listed, open - acknowledged - silenced); // some may be both
}

/** The browser's icon: a red mark for a critical alert, an amber one for others. */
export function iconOf(alerts: AlertView[]): string {
  if (alerts.length === 0) return "/icon.svg";
  return alerts.some((alert) => alert.severity === "critical") ? "/icon-critical.svg" : "/icon-warning.svg";
}

/** What the button of an alert says: where it leads. */
export function doorOf(path: string): { label: string; to: string } | null {
  if (!path.startsWith("/") || path.startsWith("//")) return null;
  const first = /^\/([\w-]*)(\/[^?#]+)?/.exec(path);
  const page = first?.[1] ?? "";
  const one = first?.[2] !== undefined;
  const part = /\?tab=(\w+)/.exec(path)?.[1] ?? (page === "settings" ? first?.[2]?.slice(1) : undefined);
  return { label: `Open ${part ?? DOORS[page]?.[one ? 1 : 0] ?? "page"}`, to: path };
}

const DOORS: Record<string, [all: string, one: string]> = {
  "": ["overview", "overview"],
  jobs: ["jobs", "job"],
  runs: ["runs", "run"],
  pings: ["pings", "ping"],
  workers: ["workers", "workers"],
  "dead-letters": ["dead letters", "dead letters"],
  settings: ["settings", "settings"],
};
