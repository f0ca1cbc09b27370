import { expect, it } from "vitest";
import { renewed, taken } from "./use-chosen-runs";

const run = (id: string, status = "queued") => ({ id, status });

it("keeps runs of other pages, and lets go of those that are taken away", () => {
  const first = taken(new Map(), [run("a"), run("b")], { a: true });
  const second = taken(first, [run("c")], { a: true, c: true });
  expect([...second.keys()]).toEqual(["a", "c"]);
  expect([...taken(second, [run("c")], { c: true }).keys()]).toEqual(["c"]);
});

it("knows the state that was last seen", () => {
  const chosen = taken(new Map(), [run("a")], { a: true });
  expect(renewed(chosen, [run("b")])).toBe(chosen);
  expect(renewed(chosen, [run("a", "succeeded"), run("b")])).toEqual(new Map([["a", run("a", "succeeded")]]));
});
