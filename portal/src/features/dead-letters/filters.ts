import type { DeadLetterFilter } from "@/api/schema";
import { since } from "@/features/runs/periods";

export const DEFAULTS = { view: "causes", job: "", fingerprint: "", period: "", since: "", until: "", cursor: "" };
export type Filters = typeof DEFAULTS;
export type Change = Partial<Record<keyof Filters, string | null>>;

/** What the API is asked for, of lists and of operations alike. */
export function filterOf(filters: Filters, opened: number): DeadLetterFilter {
  const from = since(filters.period, opened) ?? filters.since;
  const given = { job: filters.job, fingerprint: filters.fingerprint, since: from, until: filters.until };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

export const NARROWING = ["job", "period", "since", "until"] as const;

export function isNarrowed(filters: Filters): boolean {
  return NARROWING.some((name) => filters[name] !== "");
}
