import { describe, expect, it } from "vitest";
import type { JobView } from "@/api/schema";
import { definitionOf, normal, problems, readDraft, writeDraft } from "./draft";

const targets: Record<string, object> = {
  http: {
    kind: "http",
    method: "PUT",
    url: "https://example.org/{{ input.id }}",
    headers: { "X-Run": "{{ run.id }}" },
    query: { a: "1" },
    body: '{"a": 1}',
    auth: { basic: { username: "u", password: "{{ secrets.P }}" } },
    expect: ["2xx", "404"],
    follow_redirects: true,
    sign_with: ["A", "B"],
    callback: { timeout: 60 },
  },
  "http with a token": { kind: "http", method: "GET", url: "https://a", auth: { bearer: "{{ secrets.T }}" } },
  "http with a callback": { kind: "http", method: "POST", url: "https://a", callback: {} },
  script: {
    kind: "script",
    interpreter: "python",
    source: "print(1)\n",
    args: ["-c", "two\nlines"],
    env: { A: "1", B: "{{ secrets.B }}" },
    cwd: "/srv",
    limits: { memory: "512MiB", cpu: 10, files: 100, processes: 4 },
    sandbox: { network: false, read_only: true },
  },
  "script of a file": { kind: "script", interpreter: "/usr/bin/perl", file: "/srv/a.pl", sandbox: {} },
  python: {
    kind: "python",
    function: "reports.send",
    arguments: { day: "2026-01-01", list: [1, { a: null }] },
    locked: ["day"],
  },
  container: {
    kind: "container",
    image: "alpine:3.20",
    entrypoint: ["sh"],
    command: ["-c", "echo"],
    env: { A: "1" },
    cwd: "/",
    user: "1000",
    mounts: [
      { source: "/a", target: "/b" },
      { source: "/c", target: "/d", read_only: false },
    ],
    limits: { memory: "64MiB", cpus: 0.5, processes: 10 },
    network: false,
    pull: "always",
    reuse: true,
  },
  artifact: {
    kind: "artifact",
    uri: "s3://a/b.zip",
    digest: "sha256:00",
    entrypoint: "main:run",
    arguments: { a: [1] },
    locked: ["a"],
    env: { A: "1" },
    install: true,
    limits: { memory: "1GiB" },
  },
  celery: {
    kind: "celery",
    task: "shop.add",
    queue: "fast",
    args: [1, "b"],
    kwargs: { a: { b: 2 } },
    locked: ["a"],
    priority: 3,
    headers: { "x-a": "1" },
    track: false,
  },
  "artifact with a command": {
    kind: "artifact",
    uri: "file:///a",
    digest: "sha256:00",
    entrypoint: ["bin/tool", "-v"],
    image: "python:3.12",
  },
};

const schedules: Record<string, object> = {
  manual: { manual: true },
  cron: {
    cron: "0 9 * * MON-FRI",
    timezone: "Europe/Berlin",
    start_at: "2026-01-01T00:00:00.123456Z",
    end_at: "2027-01-01T00:00:00+01:00",
    jitter: 30,
    blackouts: [
      { days: ["SAT", "SUN"], start: "22:00", end: "06:00" },
      { start: "2026-12-24T00:00:00+01:00", end: "2026-12-27T00:00:00+01:00" },
    ],
    max_runs: 5,
    dst_gap: "skip",
    dst_fold: "both",
  },
  "cron by fields": { cron: { hour: 9, day_of_week: "MON-FRI" } },
  every: { every: "15m", start_at: "2026-01-01T00:00:00Z" },
  "every so many seconds": { every: 90 },
  "every as parts": { every: { hours: 1, minutes: 30 } },
  at: { at: "2026-12-01T09:00:00+01:00", timezone: "Europe/Berlin" },
  after: { after: { job: "load", on: "any" }, jitter: 5, blackouts: [{ start: "22:00", end: "06:00" }] },
};

const minimal = { kind: "http", method: "POST", url: "https://example.org" };

it("keeps a target of a kind that has no form", () => {
  const target = { kind: "unheard-of", text: "hello", deep: { n: 1 } };
  const draft = readDraft({ name: "a", target });
  expect(draft.kind).toBe("other");
  expect(writeDraft(draft).target).toEqual(target);
});

describe("a definition in the form and back", () => {
  it.each(Object.entries(targets))("target: %s", (_, target) => {
    expect(normal({ name: "a", target, schedule: { manual: true } }).target).toEqual(target);
  });

  it.each(Object.entries(schedules))("schedule: %s", (_, schedule) => {
    expect(normal({ name: "a", target: minimal, schedule }).schedule).toEqual(schedule);
  });

  it("policies", () => {
    const job = {
      name: "a",
      description: "What it is.",
      tags: ["x", "y"],
      target: minimal,
      schedule: { every: "1h" },
      retry: { max_attempts: 5, backoff: "fixed", delay: 2, max_delay: 9, jitter: 0, permanent_exit_codes: [3, 4] },
      timeout: 30,
      overlap: "queue_one",
      max_instances: 2,
      catch_up: "all",
      catch_up_window: 60,
      queue: "mail",
      priority: 0,
      start_within: 10,
      grace: 30,
      enabled: false,
    };
    expect(normal(job)).toEqual(job);
  });

  it("keeps 'no limit' apart from the default", () => {
    expect(normal({ name: "a", target: minimal, max_instances: null })).toHaveProperty("max_instances", null);
    expect(normal({ name: "a", target: minimal })).not.toHaveProperty("max_instances");
  });

  it("sends nothing that was not filled in", () => {
    expect(writeDraft({ ...readDraft({ target: minimal }), name: " a " })).toEqual({
      name: "a",
      target: minimal,
      schedule: { manual: true },
      enabled: true,
    });
  });

  it("shows bytes as people write them", () => {
    expect(readDraft({ target: { kind: "script", limits: { memory: 536_870_912 } } }).script.limits.memory).toBe(
      "512MiB",
    );
    expect(readDraft({ target: { kind: "script", limits: { memory: 1_500_000 } } }).script.limits.memory).toBe(
      "1500000",
    );
  });

  it("copes with anything people write as JSON", () => {
    for (const wrong of [
      null,
      7,
      [],
      { target: 3 },
      { target: { kind: "http", headers: [1] }, schedule: "x", tags: 5 },
    ])
      expect(() => normal(wrong)).not.toThrow();
  });

  it("leaves what is no number to the server, as it was typed", () => {
    const draft = readDraft({ name: "a", target: minimal });
    draft.policies.timeout = "soon";
    expect(writeDraft(draft)).toHaveProperty("timeout", "soon");
  });
});

describe("what the form knows to be wrong", () => {
  it("a missing name, and arguments that are no JSON object", () => {
    const draft = readDraft({ target: { kind: "python", function: "f" } });
    draft.python.json = "[1";
    expect(problems(draft).map(({ field }) => field)).toEqual(["target.arguments", "name"]);
    draft.python.json = "{}";
    draft.name = "a";
    expect(problems(draft)).toEqual([]);
  });

  it("a target that is not JSON, of a kind without a form", () => {
    const draft = readDraft({ name: "a", target: { kind: "unheard-of" } });
    expect(problems({ ...draft, other: { json: "{" } })).toEqual([
      { field: "target", message: "is not a JSON object" },
    ]);
  });

  it("reports everything that is required, at once", () => {
    const fields = (definition: unknown) => problems(readDraft(definition)).map(({ field }) => field);
    expect(fields({})).toEqual(["name", "target.url"]);
    expect(fields({ target: { kind: "script" }, schedule: { at: "" } })).toEqual([
      "name",
      "target.source",
      "schedule.at",
    ]);
    expect(fields({ target: { kind: "container" }, schedule: { after: {} } })).toEqual([
      "name",
      "target.image",
      "schedule.after.job",
    ]);
    expect(fields({ name: "a", target: { kind: "artifact" } })).toEqual([
      "target.uri",
      "target.digest",
      "target.entrypoint",
    ]);
  });
});

it("leaves out of a definition what only the server says", () => {
  const job = { id: "1", name: "a", unreadable: null, last_status: null, enabled: true } as unknown;
  expect(definitionOf(job as JobView)).toEqual({ name: "a", enabled: true });
});
