import type { Segment } from "./segments";

export interface Scale {
  from: number;
  to: number;
}

export interface Bar {
  /** In percent of the whole. */
  left: number;
  width: number;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
];
const DAY = 86_400_000;

/** From the first instant to the last, to now if the run is live, and to known future events. */
export function scaleOf(segments: readonly Segment[], now: number): Scale {
  const from = Math.min(...segments.map((one) => one.from));
  const to = Math.max(...segments.map((one) => one.to ?? Math.max(now, one.from)), from + 1);
  return { from, to };
}

export function barOf(segment: Segment, scale: Scale, now: number): Bar {
  const span = scale.to - scale.from;
  const end = segment.to ?? Math.max(now, segment.from);
  const left = ((segment.from - scale.from) / span) * 100;
  return { left, width: Math.max(0, ((end - segment.from) / span) * 100) };
}

/** How long a segment took, or has taken so far; 0 for a future one. */
export function lengthOf(segment: Segment, now: number): number {
  return Math.max(0, (segment.to ?? now) - segment.from);
}

/** Round marks on the axis, in milliseconds from its start; about `most` of them. */
export function ticksOf({ from, to }: Scale, most = 6): number[] {
  const span = to - from;
  const step = STEPS.find((one) => span / one <= most) ?? Math.ceil(span / most / DAY) * DAY;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, n) => n * step);
}
