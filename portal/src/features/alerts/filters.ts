import type { AlertsQuery } from "./queries";

export const DEFAULTS = { state: "open", severity: "", rule: "", job: "", cursor: "" };
export type Filters = typeof DEFAULTS;
export type Change = Partial<Record<keyof Filters, string | null>>;
export const NARROWING = ["severity", "rule", "job"] as const;

export function queryOf(filters: Filters): AlertsQuery {
  const given = { ...filters, state: filters.state === "cleared" ? "cleared" : "open" };
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  return { ...query, limit: 50 } as AlertsQuery;
}

export function isNarrowed(filters: Filters): boolean {
  return NARROWING.some((name) => filters[name] !== "");
}
