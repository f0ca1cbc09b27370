import { expect, it } from "vitest";
import { latenessOf } from "./lateness";
import { flowOf, withSample } from "./samples";
import { switchedOff } from "./switched-off";
import { dayOf, midnights } from "./ticks";

const time = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
const run = (id: string, due: number, made: number, began: number | null) => ({
  id,
  due_at: time(due),
  created_at: time(made),
  started_at: began === null ? null : time(began),
});
const sample = (at: number, ended: number) => ({ at, ended, queued: 1, running: 2 });

it("counts lateness from when a run was due, or made if that was later", () => {
  const found = latenessOf([run("b", 10, 20, 23), run("a", 10, 5, 11), run("c", 10, 5, 9), run("d", 0, 0, null)]);
  expect(found.points.map(({ id, ms }) => [id, ms])).toEqual([
    ["c", 0],
    ["a", 1_000],
    ["b", 3_000],
  ]);
  expect([found.median, found.worst?.id]).toEqual([1_000, "b"]);
  expect(latenessOf([])).toEqual({ points: [], median: null, worst: null });
});

it("makes a rate of two looks at the counters", () => {
  const flow = flowOf([sample(0, 100), sample(30_000, 110), sample(40_000, 5)]);
  expect(flow.map((one) => one.rate)).toEqual([null, 20, null]);
});

it("keeps no more than it shows, and one of looks that are close", () => {
  let samples = [sample(0, 0)];
  for (let n = 1; n <= 1_000; n += 1) samples = withSample(samples, sample(n * 5_000, n));
  expect(samples).toHaveLength(180);
  const close = [5_000, 6_000, 7_000, 8_000, 13_000].reduce(
    (all, at) => withSample(all, sample(at, 0)),
    [sample(0, 0)],
  );
  expect(close.map((one) => one.at)).toEqual([0, 5_000, 8_000, 13_000]);
  expect(withSample(close, sample(13_000, 0))).toBe(close);
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
