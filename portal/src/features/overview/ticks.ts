import { brief, clock } from "@/lib/times";

/** How instants are written at an axis: to the second where it is short, with the day where it is long. */
export function tickOf(from: number, to: number): (at: number) => string {
  const span = to - from;
  if (span < 10 * 60_000) return (at) => clock(at);
  return span < 20 * 3_600_000 ? (at) => clock(at).slice(0, 5) : (at) => brief(at);
}

/** `9 Nov`. */
export function dayOf(at: number, zone?: string): string {
  return brief(at, zone).split(",")[0] ?? "";
}

/** Of instants in order, the first one of each day but that of the first, which may have begun before. */
export function midnights(instants: readonly number[], zone?: string): number[] {
  return instants.filter((at, index) => {
    const before = instants[index - 1];
    return before !== undefined && dayOf(before, zone) !== dayOf(at, zone);
  });
}
