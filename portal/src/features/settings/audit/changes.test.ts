import { expect, it } from "vitest";
import { actionWords, inWords, kindOf, needsRoom } from "./changes";

const change = (old: unknown, now: unknown) => ({ path: "x", old, new: now });

it("says values in a line", () => {
  expect([null, "", "a", 3, false, [1]].map(inWords)).toEqual(["nothing", "empty", "a", "3", "false", "[1]"]);
});

it("gives room to what is long", () => {
  expect(needsRoom(change("a", "b"))).toBe(false);
  expect(needsRoom(change(null, "a\nb"))).toBe(true);
  expect(needsRoom(change({ a: 1 }, [1]))).toBe(false);
  expect(needsRoom(change({ a: "x".repeat(90) }, null))).toBe(true);
});

it("tells what came and what went", () => {
  expect([change(null, 1), change(1, null), change(1, 2)].map(kindOf)).toEqual(["set", "removed", "changed"]);
});

it("says actions as people do, and others as they are", () => {
  expect(actionWords("job.edit")).toBe("changed the job");
  expect(actionWords("session.open")).toBe("signed in");
  expect(actionWords("job.teleport")).toBe("job.teleport");
});
