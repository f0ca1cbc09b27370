import { expect, it } from "vitest";
import type { HourView } from "@/api/schema";
import { cellWords, heat, heatMap } from "./heat-map";

const hour = (at: string, counts: Partial<HourView> = {}): HourView => ({
  at,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  avg_duration_ms: null,
  ...counts,
});
const now = Date.parse("2026-11-15T23:30:00Z");

it("puts hours where the clock of the zone has them", () => {
  const rows = heatMap([hour("2026-11-15T23:00:00Z", { succeeded: 2 })], "Europe/Berlin", 3, now);
  expect(rows.map((row) => row.date)).toEqual(["2026-11-16", "2026-11-15", "2026-11-14"]);
  expect(rows[0]?.cells[0]).toMatchObject({ succeeded: 2 });
  expect(rows[0]?.cells).toHaveLength(24);
});

it("adds up the two hours that are one when clocks go back", () => {
  const both = [
    hour("2026-10-25T00:00:00Z", { succeeded: 1 }),
    hour("2026-10-25T01:00:00Z", { succeeded: 1, failed: 1 }),
  ];
  const rows = heatMap(both, "Europe/Berlin", 30, now);
  expect(rows.find((row) => row.date === "2026-10-25")?.cells[2]).toMatchObject({ succeeded: 2, failed: 1 });
});

it("leaves out hours in which nothing ended, and days beyond the last", () => {
  const rows = heatMap([hour("2026-11-15T10:00:00Z"), hour("2026-01-01T10:00:00Z", { failed: 1 })], "UTC", 2, now);
  expect(rows.flatMap((row) => row.cells).every((cell) => cell === null)).toBe(true);
});

it("judges by what succeeded or failed", () => {
  const cell = (succeeded: number, failed: number, skipped = 0) => ({ succeeded, failed, cancelled: 0, skipped });
  expect([null, cell(0, 0, 1), cell(3, 0), cell(3, 1), cell(1, 3), cell(0, 2)].map(heat)).toEqual([
    "none",
    "idle",
    "good",
    "some",
    "most",
    "all",
  ]);
  expect(cellWords(cell(1_200, 1))).toBe("1,200 succeeded, 1 failed");
});
