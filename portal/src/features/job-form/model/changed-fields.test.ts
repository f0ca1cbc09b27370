import { expect, it } from "vitest";
import { ApiError } from "@/api/errors";
import { refused, stillWrong } from "./changed-fields";

const error = refused([
  { field: "target.url", message: "x" },
  { field: "target.auth.basic.password", message: "x" },
  { field: "schedule.cron", message: "x" },
  { field: "retry.max_attempts", message: "x" },
]);
const left = (section: "target" | "schedule" | "policies", change: object) => {
  const still = stillWrong(error, section, change);
  return still instanceof ApiError ? still.fields.map(({ field }) => field) : still;
};

it("forgets what was said about a field once it changes, and nothing else", () => {
  expect(left("target", { url: "y" })).not.toContain("target.url");
  expect(left("target", { password: "y" })).toEqual(["target.url", "schedule.cron", "retry.max_attempts"]);
  expect(left("policies", { maxAttempts: "3" })).not.toContain("retry.max_attempts");
  expect(left("schedule", { cron: "0" })).toHaveLength(3);
  expect(left("target", { method: "GET" })).toHaveLength(4);
});

it("is over when nothing is left", () => {
  expect(stillWrong(refused([{ field: "name", message: "x" }]), "top", { name: "a" })).toBeNull();
});
