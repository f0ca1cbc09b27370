import { expect, it } from "vitest";
import { progressOf } from "./run-progress";

it("takes what runs tell of themselves, within bounds", () => {
  expect(progressOf({ fraction: 0.4, note: "half-way, nearly" })).toEqual({ fraction: 0.4, note: "half-way, nearly" });
  expect(progressOf({ fraction: 7, note: "" })).toEqual({ fraction: 1, note: null });
  for (const odd of [null, undefined, 3, {}, { fraction: "half" }]) expect(progressOf(odd)).toBeNull();
});
