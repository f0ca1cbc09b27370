import { expect, it } from "vitest";
import type { SeriesPoint } from "@/api/schema";
import { drawn, most, runsBehind, SPANS, spanOf, totals } from "./series";
import { switchedOff } from "./switched-off";
import { dayOf, midnights } from "./ticks";

const at = "2026-11-15T07:00:00Z";
const known: SeriesPoint = {
  at,
  ended: { succeeded: 5, failed: 2, cancelled: 1, skipped: 3, retries: 0, timed_out: 0 },
  queued: { mean: 1, max: 4, oldest_seconds: 12.5 },
  running: { mean: 2, max: 3, slots: 8, utilisation: 0.25 },
  lateness: { count: 7, p50: 0.02, p90: 0.1, p99: 4 },
  duration: { count: 7, p50: 1, p90: 2, p99: 60 },
};
const unknown: SeriesPoint = { at, ended: null, queued: null, running: null, lateness: null, duration: null };
const series = { since: at, until: at, step: 900, points: [known] };

it("draws what is known, and leaves out what is not", () => {
  expect(drawn(known)).toMatchObject({ succeeded: 5, queued: 4, oldest: 12_500, busy: 25, p50: 20, p99: 4_000 });
  expect(Object.values(drawn(unknown)).filter((value) => value !== null)).toEqual([Date.parse(at)]);
  expect(totals([known, unknown, known])).toEqual({ succeeded: 10, failed: 4, cancelled: 2 });
  expect(most([drawn(unknown), drawn(known)], "oldest")).toBe(12_500);
  expect(most([drawn(unknown)], "oldest")).toBeNull();
});

it("leads to the runs that ended within a bar, of those created as long before as they waited and ran", () => {
  const url = new URL(runsBehind(series, Date.parse(at), "failed"), "http://horae");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    status: "failed",
    since: "2026-11-15T05:57:52.000Z",
    ended_since: "2026-11-15T07:00:00.000Z",
    ended_until: "2026-11-15T07:15:00.000Z",
  });
});

it("knows four spans, and takes a day for what it does not know", () => {
  expect(SPANS.map((span) => span.value)).toEqual(["hour", "day", "week", "month"]);
  expect(spanOf("century").value).toBe("day");
});

it("writes each day of a week once, where it begins", () => {
  const hour = 3_600_000;
  const first = Date.parse("2026-11-08T22:00:00Z");
  const hours = Array.from({ length: 168 }, (_, index) => first + index * hour);
  const found = midnights(hours, "America/New_York");
  expect(found.map((at) => dayOf(at, "America/New_York"))).toEqual([
    "9 Nov",
    "10 Nov",
    "11 Nov",
    "12 Nov",
    "13 Nov",
    "14 Nov",
    "15 Nov",
  ]);
  expect(found[0]).toBe(Date.parse("2026-11-09T05:00:00Z"));
});

it("says which jobs do not run, and never counts a paused one as enabled", () => {
  expect(switchedOff({ paused: 0, disabled: 0 })).toBe("all enabled");
  expect(switchedOff({ paused: 3, disabled: 0 })).toBe("3 paused");
  expect(switchedOff({ paused: 1_200, disabled: 1 })).toBe("1,200 paused, 1 disabled");
});
