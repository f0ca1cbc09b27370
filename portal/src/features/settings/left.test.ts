import { expect, it } from "vitest";
import type { MadeKeyView } from "@/api/schema";
import { leftBehind } from "./left";

const key = (name: string, revoked: boolean) => ({ name, role: "owner", project: "red", revoked }) as MadeKeyView;

it("names the keys that were revoked and those that still work", () => {
  const keys = [key("deploy", false), key("old", true)];
  expect(leftBehind({ keys, invitations_withdrawn: 1 })).toBe(
    ". Revoked their API keys: old (owner, red). API keys they created still work: deploy (owner, red)",
  );
  expect(leftBehind({ keys: [], invitations_withdrawn: 0 })).toBe("");
});
