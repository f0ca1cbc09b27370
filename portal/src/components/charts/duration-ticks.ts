import { duration } from "@/lib/durations";

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((s) => s * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((min) => min * 60_000),
  ...[1, 2, 3, 6, 12].map((h) => h * 3_600_000),
];
const DAY = 86_400_000;

/** Up to five instants of an axis of durations (ms) from 0 on, each a round number: `30 s`, never `1 min 45 s`. */
export function durationTicks(most: number): number[] {
  const step = STEPS.find((one) => most <= one * 4) ?? Math.ceil(most / 4 / DAY) * DAY;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Such an instant as it stands at the axis: on one line, where a chart would break it at a space. */
export function durationTick(ms: number): string {
  return ms === 0 ? "0" : duration(ms).replace(/\.0 /, " ").replaceAll(" ", "\u00a0");
}
