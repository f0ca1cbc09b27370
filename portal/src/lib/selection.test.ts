import { expect, it } from "vitest";
import { ALL, chosenOf, countOf, isChosen, NONE, offersAll, rowsOf } from "./selection";

const some = (...ids: string[]) => ({ all: false as const, ids: new Set(ids) });

it("keeps what was chosen on other pages", () => {
  const first = chosenOf(NONE, ["a", "b"], { a: true });
  const second = chosenOf(first, ["c", "d"], { ...rowsOf(first, ["c", "d"]), d: true });
  expect(second).toEqual(some("a", "d"));
  expect(countOf(second, 100)).toBe(2);
  expect(chosenOf(second, ["a", "b"], { d: true })).toEqual(some("d"));
});

it("offers all that match once a whole page is chosen, if there is more", () => {
  expect(offersAll(some("a", "b"), ["a", "b"], 1_234)).toBe(true);
  expect(offersAll(some("a", "b"), ["a", "b"], 2)).toBe(false);
  expect(offersAll(some("a"), ["a", "b"], 1_234)).toBe(false);
  expect(offersAll(NONE, [], 1_234)).toBe(false);
  expect(offersAll(ALL, ["a"], 1_234)).toBe(false);
});

it("has all on every page, also those that were not seen", () => {
  expect(countOf(ALL, 1_234)).toBe(1_234);
  expect(isChosen(ALL, "unseen")).toBe(true);
  expect(rowsOf(ALL, ["x", "y"])).toEqual({ x: true, y: true });
  expect(chosenOf(ALL, ["x", "y"], { x: true, y: true })).toEqual(ALL);
});

it("leaves the rest of the page when one is taken from all", () => {
  expect(chosenOf(ALL, ["x", "y", "z"], { x: true, z: true })).toEqual(some("x", "z"));
});
