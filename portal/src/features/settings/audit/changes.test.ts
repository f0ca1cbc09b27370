import { expect, it } from "vitest";
import { actionWords, inWords, kindOf, needsRoom, versionOf } from "./changes";

const change = (old: unknown, now: unknown) => ({ path: "x", old, new: now });

it("says values in a line", () => {
  expect([null, "", "a", 3, false, [1]].map(inWords)).toEqual(["nothing", "empty", "a", "3", "false", "[1]"]);
});

it("gives room to what is long", () => {
  expect(needsRoom(change("a", "b"))).toBe(false);
  expect(needsRoom(change(null, "a\nb"))).toBe(true);
  expect(needsRoom(change({ a: 1 }, [1]))).toBe(false);
  expect(needsRoom(change({ a: "x".repeat(90) }, null))).toBe(true);
});

it("shows what was added and removed", () => {
  expect([change(null, 1), change(1, null), change(1, 2)].map(kindOf)).toEqual(["set", "removed", "changed"]);
});

it("says actions as people do, and others as they are", () => {
  expect(actionWords("job.edit")).toBe("changed the job");
  expect(actionWords("session.open")).toBe("signed in");
  expect(actionWords("job.teleport")).toBe("job.teleport");
});

it("knows which version of a job came of it", () => {
  const entry = { id: "1", at: "", actor: "a", address: null, request_id: null, project_id: "p" };
  const job = { kind: "job", id: "j", name: "n" };
  const version = (old: unknown, now: unknown) => [{ path: "version", old, new: now }];
  const told = (action: string, changes: ReturnType<typeof version>, subject = job) =>
    versionOf({ ...entry, action, subject, changes });
  expect(told("job.create", [])).toBe(1);
  expect(told("job.edit", version(2, 3))).toBe(3);
  expect(told("job.delete", version(3, null))).toBe(null);
  expect(told("job.pause", [])).toBe(null);
  expect(told("secret.set", version(1, 2), { ...job, kind: "secret" })).toBe(null);
});
