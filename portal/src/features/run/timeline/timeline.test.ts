import { expect, it } from "vitest";
import { barOf, scaleOf, ticksOf } from "./scale";
import { segmentsOf } from "./segments";

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, 0) + second * 1_000).toISOString();
const millis = (second: number) => Date.parse(time(second));
const run = (given: object = {}) => ({
  status: "succeeded" as const,
  outcome: null,
  attempt: 1,
  created_at: time(0),
  due_at: time(0),
  scheduled_for: null,
  started_at: time(2),
  finished_at: time(10),
  duration_ms: null,
  worker_id: "w",
  parked: false,
  ...given,
});
const attempt = (n: number, from: number, to: number, outcome = "failed") => ({
  n,
  worker_id: "w",
  started_at: time(from),
  finished_at: time(to),
  duration_ms: null,
  outcome,
});
const told = (segments: ReturnType<typeof segmentsOf>) =>
  segments.map((one) => [
    one.kind,
    (one.from - millis(0)) / 1_000,
    one.to === null ? null : (one.to - millis(0)) / 1_000,
    one.outcome,
  ]);

it("waits, then runs", () => {
  expect(told(segmentsOf(run(), []))).toEqual([
    ["waiting", 0, 2, undefined],
    ["attempt", 2, 10, "succeeded"],
  ]);
});

it("has backoff between attempts, and a wait after it where the last was due earlier than it began", () => {
  const ended = run({ status: "failed", attempt: 3, due_at: time(20), started_at: time(21), finished_at: time(25) });
  expect(told(segmentsOf(ended, [attempt(2, 8, 10), attempt(1, 1, 3)]))).toEqual([
    ["waiting", 0, 1, undefined],
    ["attempt", 1, 3, "failed"],
    ["backoff", 3, 8, undefined],
    ["attempt", 8, 10, "failed"],
    ["backoff", 10, 20, undefined],
    ["waiting", 20, 21, undefined],
    ["attempt", 21, 25, "failed"],
  ]);
});

it("shows backoff that is still to come", () => {
  const queued = run({ status: "queued", attempt: 1, due_at: time(60), started_at: null, finished_at: null });
  expect(told(segmentsOf(queued, [attempt(1, 1, 3)]))).toEqual([
    ["waiting", 0, 1, undefined],
    ["attempt", 1, 3, "failed"],
    ["backoff", 3, 60, undefined],
    ["waiting", 60, null, undefined],
  ]);
});

it("goes on while it runs, and knows when it was to begin", () => {
  const later = run({ status: "running", due_at: time(5), started_at: time(6), finished_at: null });
  expect(told(segmentsOf(later, []))).toEqual([
    ["ahead", 0, 5, undefined],
    ["waiting", 5, 6, undefined],
    ["attempt", 6, null, "running"],
  ]);
});

it("knows runs that never began", () => {
  const cancelled = run({ status: "cancelled", attempt: 0, started_at: null });
  expect(told(segmentsOf(cancelled, []))).toEqual([["waiting", 0, 10, undefined]]);
});

it("is drawn to scale", () => {
  const segments = segmentsOf(run(), []);
  const scale = scaleOf(segments, millis(100));
  expect(scale).toEqual({ from: millis(0), to: millis(10) });
  for (const now of [0, millis(5), millis(1_000)]) expect(scaleOf(segments, now)).toEqual(scale); // it has ended
  expect(segments.map((one) => barOf(one, scale, millis(100)))).toEqual([
    { left: 0, width: 20 },
    { left: 20, width: 80 },
  ]);
});

it("grows with the time while something goes on", () => {
  const segments = segmentsOf(run({ status: "running", finished_at: null }), []);
  const scale = scaleOf(segments, millis(4));
  expect(segments.map((one) => barOf(one, scale, millis(4)).width)).toEqual([50, 50]);
});

it("has round marks, not too many", () => {
  expect(ticksOf({ from: 0, to: 10_000 })).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
  expect(ticksOf({ from: 5, to: 6 })).toEqual([0, 1]);
  for (const span of [1, 7, 999, 61_000, 3_600_000, 40 * 86_400_000, 4_000 * 86_400_000]) {
    const ticks = ticksOf({ from: 0, to: span });
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.at(-1)).toBeLessThanOrEqual(span);
  }
});
