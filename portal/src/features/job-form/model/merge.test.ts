import { expect, it } from "vitest";
import { merged } from "./merge";

const base = {
  name: "a",
  timeout: 1,
  target: { kind: "http", url: "x", headers: { a: "1" } },
  schedule: { every: "1h" },
};

it("keeps what each changed alone", () => {
  const mine = { ...base, timeout: 2, target: { ...base.target, url: "y" } };
  const theirs = { ...base, queue: "mail", target: { ...base.target, headers: { a: "1", b: "2" } } };
  expect(merged(base, mine, theirs)).toEqual({
    value: {
      name: "a",
      timeout: 2,
      target: { kind: "http", url: "y", headers: { a: "1", b: "2" } },
      schedule: { every: "1h" },
      queue: "mail",
    },
    conflicts: [],
    taken: ["target.headers", "queue"],
  });
});

it("takes mine where both changed the same, and says so", () => {
  const { value, conflicts } = merged(base, { ...base, timeout: 2 }, { ...base, timeout: 3 });
  expect([value.timeout, conflicts]).toEqual([2, ["timeout"]]);
});

it("what both changed alike is no conflict", () => {
  expect(merged(base, { ...base, timeout: 2 }, { ...base, timeout: 2 }).conflicts).toEqual([]);
});

it("does not mix two kinds of target or schedule", () => {
  const mine = { ...base, schedule: { every: "2h", jitter: 5 } };
  const theirs = { ...base, schedule: { cron: "0 9 * * *" } };
  const { value, conflicts } = merged(base, mine, theirs);
  expect([value.schedule, conflicts]).toEqual([mine.schedule, ["schedule"]]);
});

it("lets go what one of them removed", () => {
  const { timeout: _, ...without } = base;
  expect(merged(base, base, without).value).toEqual(without);
  expect(merged(base, without, { ...base, queue: "q" }).value).toEqual({ ...without, queue: "q" });
});
