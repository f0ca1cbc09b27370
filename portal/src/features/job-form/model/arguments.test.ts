import { expect, it } from "vitest";
import { asText, draftOf } from "./arguments";

it("shows as fields what has names, and as JSON what has none", () => {
  expect(draftOf({ a: 1 })).toEqual({ arguments: { a: 1 }, json: null });
  expect(draftOf([1])).toEqual({ arguments: {}, json: "[\n  1\n]" });
  expect(draftOf(null)).toEqual({ arguments: {}, json: null });
});

it("gives back what was there, an empty object too", () => {
  for (const input of [{ a: { b: [1] } }, {}, [], "x", 0, false]) {
    expect(JSON.parse(asText(draftOf(input)))).toEqual(input);
  }
  expect(asText(draftOf(null))).toBe("");
});
