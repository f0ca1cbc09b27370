import type { SeriesPoint, SeriesView } from "@/api/schema";
import { toMillis } from "@/lib/times";

export interface Span {
  value: string;
  label: string;
  words: string;
  /** How far back it reaches, and the period of one point. */
  milliseconds: number;
  step: string;
}

const HOUR = 3_600_000;
const DAY_SPAN: Span = { value: "day", label: "24 h", words: "24 hours", milliseconds: 24 * HOUR, step: "15m" };
export const SPANS: readonly Span[] = [
  { value: "hour", label: "1 h", words: "1 hour", milliseconds: HOUR, step: "1m" },
  DAY_SPAN,
  { value: "week", label: "7 d", words: "7 days", milliseconds: 7 * 24 * HOUR, step: "2h" },
  { value: "month", label: "30 d", words: "30 days", milliseconds: 30 * 24 * HOUR, step: "6h" },
];

export function spanOf(value: string): Span {
  return SPANS.find((span) => span.value === value) ?? DAY_SPAN;
}

export type Status = "succeeded" | "failed" | "cancelled";

/** A point as charts draw it: null where nothing is known. Times are in milliseconds. */
export interface Drawn {
  at: number;
  succeeded: number | null;
  failed: number | null;
  cancelled: number | null;
  queued: number | null;
  oldest: number | null;
  busy: number | null;
  p50: number | null;
  p99: number | null;
}

export function drawn({ at, ended, queued, running, lateness }: SeriesPoint): Drawn {
  return {
    at: toMillis(at),
    succeeded: ended?.succeeded ?? null,
    failed: ended?.failed ?? null,
    cancelled: ended?.cancelled ?? null,
    queued: queued?.max ?? null,
    oldest: inMillis(queued?.oldest_seconds),
    busy: share(running?.utilisation),
    p50: inMillis(lateness?.p50),
    p99: inMillis(lateness?.p99),
  };
}

export type Totals = Record<Status, number>;

export function totals(points: readonly SeriesPoint[]): Totals {
  const sum = { succeeded: 0, failed: 0, cancelled: 0 };
  for (const { ended } of points) {
    if (!ended) continue;
    sum.succeeded += ended.succeeded;
    sum.failed += ended.failed;
    sum.cancelled += ended.cancelled;
  }
  return sum;
}

/** The largest of the values that are known. */
export function most(points: readonly Drawn[], key: keyof Drawn): number | null {
  const known = points.map((point) => point[key]).filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * Where the runs behind a bar are listed: those that ended within it. The list is read by when runs were created, and
 * begins as much earlier as these waited and ran, generously: percentiles leave out the slowest.
 */
export function runsBehind(series: SeriesView, at: number, status: Status): string {
  const point = series.points.find((one) => toMillis(one.at) === at);
  const took = ((point?.lateness?.p99 ?? 0) + (point?.duration?.p99 ?? 0)) * 2 * 1_000;
  const instant = (millis: number) => new Date(millis).toISOString();
  const query = new URLSearchParams({
    status,
    since: instant(at - took - HOUR),
    ended_since: instant(at),
    ended_until: instant(at + series.step * 1_000),
  });
  return `/runs?${query}`;
}

const inMillis = (seconds: number | null | undefined) => (typeof seconds === "number" ? seconds * 1_000 : null);
const share = (value: number | null | undefined) => (typeof value === "number" ? value * 100 : null);
