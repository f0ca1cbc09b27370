import { expect, it } from "vitest";
import { upTo } from "./roles";

it("users cannot grant more than they have", () => {
  expect(upTo("editor").map(({ value }) => value)).toEqual(["viewer", "operator", "editor"]);
  expect(upTo("admin").at(-1)?.value).toBe("admin");
  expect(upTo("owner").some(({ value }) => value === "admin")).toBe(false);
  expect(upTo("unknown")).toEqual([]);
});
