import { brief, clock } from "@/lib/times";

/** How instants are written at an axis: to the second where it is short, with the day where it is long. */
export function tickOf(from: number, to: number): (at: number) => string {
  const span = to - from;
  if (span < 10 * 60_000) return (at) => clock(at);
  return span < 20 * 3_600_000 ? (at) => clock(at).slice(0, 5) : (at) => brief(at);
}
