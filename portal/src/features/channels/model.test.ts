import { expect, it } from "vitest";
import type { ChannelView } from "@/api/schema";
import { newChannel, readChannel, ruleWords, writeChannel } from "./model";

const VIEW: ChannelView = {
  id: "c",
  project_id: "p",
  name: "on-call",
  kind: "email",
  enabled: true,
  address: "ops@example.org",
  target: {
    kind: "email",
    to: ["ops@example.org", "lead@example.org"],
    sender: null,
    server: { host: "mail.example.org", port: null, security: "tls", username: "horae" },
  },
  has_secret: true,
  unreadable: null,
  events: ["failure", "alert"],
  severity: "warning",
  tags: ["etl"],
  jobs: ["sync-*"],
  named_only: false,
  quiet: { windows: [{ days: ["MON"], start: "22:00", end: "07:00" }], timezone: "Europe/Berlin", allow: null },
  digest: 600,
  repeat_after: 3_600,
  per_hour: 60,
  last_delivery: null,
  created_by: "user:ann",
  created_at: "2026-01-01T00:00:00Z",
  updated_by: "user:ann",
  updated_at: "2026-01-01T00:00:00Z",
};

it("keeps a channel as it is, and what is secret about it", () => {
  expect(writeChannel(readChannel(VIEW, "UTC"))).toEqual({
    name: "on-call",
    target: VIEW.target,
    events: ["failure", "alert"],
    severity: "warning",
    tags: ["etl"],
    jobs: ["sync-*"],
    named_only: false,
    quiet: VIEW.quiet,
    digest: "10m",
    repeat_after: "1h",
    per_hour: 60,
  });
});

it("sends a secret only where one was typed", () => {
  const draft = { ...newChannel("UTC"), name: "hook", kind: "webhook" as const, url: " https://example.org/h " };
  expect(writeChannel(draft).target).toEqual({ kind: "webhook", url: "https://example.org/h" });
  expect(writeChannel({ ...draft, kind: "slack", url: "" }).target).toEqual({ kind: "slack" });
  const service = { ...draft, kind: "pagerduty" as const, url: "", routingKey: "r" };
  expect(writeChannel(service).target).toEqual({
    kind: "pagerduty",
    url: "https://events.pagerduty.com/v2/enqueue",
    routing_key: "r",
  });
});

it("forgets the password of a server that is no longer its own", () => {
  const draft = { ...readChannel(VIEW, "UTC"), ownServer: false, password: "typed before" };
  expect(writeChannel(draft).target).toMatchObject({ server: null });
  expect(writeChannel(draft).target).not.toHaveProperty("password");
});

it("says the rules in a line", () => {
  expect(ruleWords(VIEW)).toBe("failures, alerts · warning and above · #etl · sync-* · quiet hours · digest every 10m");
  const all = { ...VIEW, ...{ events: newChannel("UTC").events, severity: "info", tags: [], jobs: [] } } as ChannelView;
  expect(ruleWords({ ...all, quiet: null, digest: 0 })).toBe("everything");
});
