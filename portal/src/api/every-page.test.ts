import { expect, it } from "vitest";
import { everyPage } from "./every-page";

it("goes on until there is no next page", async () => {
  const pages = { first: { items: [1, 2], next_cursor: "b" }, b: { items: [3], next_cursor: null } };
  const asked: (string | undefined)[] = [];
  const all = await everyPage(({ cursor }) => {
    asked.push(cursor);
    return Promise.resolve(pages[(cursor ?? "first") as keyof typeof pages]);
  });
  expect(all).toEqual({ items: [1, 2, 3] });
  expect(asked).toEqual([undefined, "b"]);
});
