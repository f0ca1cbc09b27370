import { expect, it } from "vitest";
import { titleOf } from "./page-title";

it("counts before the name of the page", () => {
  expect(titleOf("Jobs", 0)).toBe("Jobs · Horae");
  expect(titleOf("Jobs", 2)).toBe("(2) Jobs · Horae");
  expect(titleOf("Jobs", 100)).toBe("(99+) Jobs · Horae");
  expect(titleOf("", 0)).toBe("Horae");
});
