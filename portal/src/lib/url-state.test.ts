import { expect, it } from "vitest";
import { changed, readUrl } from "./url-state";

const DEFAULTS = { q: "", sort: "name", cursor: "" };

it("reads what is there, and defaults for the rest", () => {
  expect(readUrl(new URLSearchParams("q=a%26b&other=1"), DEFAULTS)).toEqual({ q: "a&b", sort: "name", cursor: "" });
});

it("leaves out what equals its default, keeps what is not its own, and begins at the first page", () => {
  const before = new URLSearchParams("q=a&sort=-name&cursor=xyz&tab=log");
  expect(changed(before, { sort: "name" }, DEFAULTS).toString()).toBe("q=a&tab=log");
  expect(changed(before, { q: null }, DEFAULTS).toString()).toBe("sort=-name&tab=log");
  expect(changed(before, { cursor: "next" }, DEFAULTS).get("cursor")).toBe("next");
});
