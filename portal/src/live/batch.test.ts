import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { Batch, leave, patched } from "./batch";

const run = (id: string, more: object = {}) => ({
  id: null,
  name: "run",
  data: JSON.stringify({ id, job_id: "j1", ...more }),
});

it("concerns lists of what changed, and only those details", () => {
  const batch = new Batch();
  batch.add(run("r1"));
  expect(batch.concerns(["runs", "list", {}])).toBe(true);
  expect(batch.concerns(["runs", "one", "r1", "log"])).toBe(true);
  expect(batch.concerns(["runs", "one", "r2"])).toBe(false);
  expect(batch.concerns(["jobs", "one", "j1"])).toBe(true);
  expect(batch.concerns(["jobs", "one", "j2"])).toBe(false);
  expect(batch.concerns(["workers", "list"])).toBe(false);
});

it("concerns everything live after a reset", () => {
  const batch = new Batch();
  batch.add({ id: null, name: "reset", data: "{}" });
  expect(batch.concerns(["workers", "list"])).toBe(true);
  expect(batch.concerns(["settings", "one"])).toBe(false);
});

it("does not read again what is being deleted, unless it stays", () => {
  const batch = new Batch();
  batch.add(run("r1"));
  const stay = leave("j1");
  expect(batch.concerns(["jobs", "one", "j1", "stats"])).toBe(false);
  expect(batch.concerns(["jobs", "list", {}])).toBe(true);
  stay();
  expect(batch.concerns(["jobs", "one", "j1", "stats"])).toBe(true);
});

it("reads no more than it can show of a flood", () => {
  const batch = new Batch();
  for (let n = 0; n < 5_000; n += 1) batch.add(run(`r${n}`));
  batch.add({ id: null, name: "run", data: "not even JSON" }); // and does not look at the rest
  expect(batch.concerns(["runs", "one", "r4999"])).toBe(true);
});

it("puts the last state into what is shown", () => {
  const client = new QueryClient();
  client.setQueryData(["runs", "one", "r1"], { id: "r1", status: "queued", kept: 1 });
  const batch = new Batch();
  batch.add(run("r1", { status: "running" }));
  batch.add(run("r1", { status: "succeeded" }));
  batch.patch(client);
  expect(client.getQueryData(["runs", "one", "r1"])).toMatchObject({ status: "succeeded", kept: 1 });
  expect(client.getQueryData(["runs", "one", "r2"])).toBeUndefined();
});

it("keeps what an event leaves out because it is long", () => {
  const client = new QueryClient();
  client.setQueryData(["runs", "one", "r1"], { id: "r1", input: { a: 1 }, result: null, truncated: [] });
  const batch = new Batch();
  batch.add(run("r1", { status: "succeeded", input: null, result: null, truncated: ["input", "result"] }));
  batch.patch(client);
  expect(client.getQueryData(["runs", "one", "r1"])).toMatchObject({ input: { a: 1 }, truncated: ["result"] });
});

it("leaves lists alone that have none of it", () => {
  const items = new Map([["a", { id: "a", n: 2 }]]);
  const other = { items: [{ id: "b" }], next_cursor: null };
  expect(patched(other, items)).toBe(other);
  const pages = { pages: [{ items: [{ id: "a", n: 1 }] }, other], pageParams: [] };
  expect(patched(pages, items)).toEqual({ pages: [{ items: [{ id: "a", n: 2 }] }, other], pageParams: [] });
});
