import type { HourView } from "@/api/schema";
import { offsetAt } from "@/lib/zoned";

export interface Cell {
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
}

export interface DayRow {
  /** `2026-11-15`, by the clock of the zone. */
  date: string;
  /** One for each hour of the day; null where nothing ended. */
  cells: (Cell | null)[];
}

const DAY = 86_400_000;

/** What ended, by day and hour of a zone's clock: the newest day first. */
export function heatMap(hours: HourView[], zone: string, days: number, now: number): DayRow[] {
  const today = Math.floor((now + offsetAt(now, zone) * 60_000) / DAY);
  const rows = new Map<string, DayRow>();
  for (let back = 0; back < days; back += 1) {
    const date = new Date((today - back) * DAY).toISOString().slice(0, 10);
    rows.set(date, { date, cells: Array.from({ length: 24 }, () => null) });
  }
  for (const hour of hours) {
    const at = new Date(hour.at).getTime();
    const wall = new Date(at + offsetAt(at, zone) * 60_000);
    const row = rows.get(wall.toISOString().slice(0, 10));
    if (row) row.cells[wall.getUTCHours()] = sum(row.cells[wall.getUTCHours()] ?? null, hour);
  }
  return [...rows.values()];
}

/** When clocks go back, two hours are one: they are added up. */
function sum(before: Cell | null, hour: HourView): Cell | null {
  const { succeeded, failed, cancelled, skipped } = hour;
  if (succeeded + failed + cancelled + skipped === 0) return before;
  return {
    succeeded: (before?.succeeded ?? 0) + succeeded,
    failed: (before?.failed ?? 0) + failed,
    cancelled: (before?.cancelled ?? 0) + cancelled,
    skipped: (before?.skipped ?? 0) + skipped,
  };
}

export type Heat = "none" | "idle" | "good" | "few" | "some" | "most" | "all";

/** How much of it failed. */
export function heat(cell: Cell | null): Heat {
  if (!cell) return "none";
  const decided = cell.succeeded + cell.failed;
  if (decided === 0) return "idle";
  const share = cell.failed / decided;
  if (share === 0) return "good";
  if (share === 1) return "all";
  if (share < 0.1) return "few";
  return share < 0.5 ? "some" : "most";
}

export function cellWords(cell: Cell | null): string {
  if (!cell) return "nothing";
  const words = (["succeeded", "failed", "cancelled", "skipped"] as const)
    .filter((name) => cell[name] > 0)
    .map((name) => `${cell[name].toLocaleString("en-US")} ${name}`);
  return words.join(", ");
}
