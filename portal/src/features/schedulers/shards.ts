import type { SchedulerView } from "@/api/schema";

export interface Cell {
  shard: number;
  /** Which of the schedulers owns it, by its place in the list; null if none does. */
  owner: number | null;
  /** Counts the owners that the shard has had. */
  epoch: number | null;
}

/** Every shard with its owner. Where two claim one, as happens while it goes over, the higher epoch is right. */
export function shardMap(schedulers: readonly SchedulerView[], size: number): Cell[] {
  const cells = new Map<number, Cell>();
  schedulers.forEach((scheduler, owner) => {
    for (const { shard, epoch } of scheduler.leases) {
      const known = cells.get(shard);
      if (!known?.epoch || known.epoch < epoch) cells.set(shard, { shard, owner, epoch });
    }
  });
  return Array.from({ length: size }, (_, shard) => cells.get(shard) ?? { shard, owner: null, epoch: null });
}

/** `0–3, 7, 9–12`. */
export function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** A letter for each scheduler, so that the map says more than by colour: A, B … Z, A2 … */
export function letter(index: number): string {
  const round = Math.floor(index / 26);
  return String.fromCharCode(65 + (index % 26)) + (round > 0 ? String(round + 1) : "");
}
