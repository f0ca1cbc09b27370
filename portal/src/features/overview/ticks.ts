import { brief, clock } from "@/lib/times";
import type { Span } from "./series";

/** `9 Nov`. */
export function dayOf(at: number, zone?: string): string {
  return brief(at, zone).split(",")[0] ?? "";
}

/** The first instant of each day, except the first day, which may have begun earlier. */
export function midnights(instants: readonly number[], zone?: string): number[] {
  return instants.filter((at, index) => {
    const before = instants[index - 1];
    return before !== undefined && dayOf(before, zone) !== dayOf(at, zone);
  });
}

interface Axis {
  tick: (at: number) => string;
  ticks?: number[];
}

/** How instants of a chart over a span are written, and where: days that each begin at their midnight, or the time. */
export function axisOf(span: Span, points: readonly { at: number }[]): Axis {
  if (span.milliseconds > 48 * 3_600_000) {
    return { tick: (at) => dayOf(at), ticks: midnights(points.map((point) => point.at)) };
  }
  return { tick: (at) => clock(at).slice(0, 5) };
}
