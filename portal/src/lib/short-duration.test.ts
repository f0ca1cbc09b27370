import { expect, it } from "vitest";
import { shortDuration } from "./short-duration";

it("writes what the API reads", () => {
  expect(shortDuration(0)).toBe("0");
  expect(shortDuration(90)).toBe("1m30s");
  expect(shortDuration(5_400)).toBe("1h30m");
  expect(shortDuration(604_800)).toBe("7d");
});
