import { ApiError } from "@/api/errors";
import type { ChannelBody, ChannelView } from "@/api/schema";
import { number, record, text, texts } from "@/features/job-form/model/read";
import { words } from "@/features/job-form/model/target-http";
import { shortDuration } from "@/lib/short-duration";

export const KINDS = ["webhook", "slack", "email", "pagerduty", "opsgenie", "apprise"] as const;
export type ChannelKind = (typeof KINDS)[number];
export const EVENTS = ["failure", "dead_letter", "recovery", "alert", "budget"] as const;
export type ChannelEvent = (typeof EVENTS)[number];
const EVERYTHING: ChannelEvent[] = ["failure", "recovery", "alert", "budget"]; // a dead letter is a failure

export interface WindowDraft {
  days: string[];
  start: string;
  end: string;
}

/** A channel as its form has it. Secret fields are empty: they are never shown, and an empty field keeps its value. */
export interface ChannelDraft {
  name: string;
  kind: ChannelKind;
  url: string;
  key: string;
  to: string;
  sender: string;
  ownServer: boolean;
  host: string;
  port: string;
  security: string;
  username: string;
  password: string;
  routingKey: string;
  apiKey: string;
  events: ChannelEvent[];
  severity: string;
  tags: string;
  jobs: string;
  namedOnly: boolean;
  windows: WindowDraft[];
  timezone: string;
  allow: string;
  digest: string;
  repeatAfter: string;
  perHour: string;
}

export const SERVICES: Partial<Record<ChannelKind, string>> = {
  pagerduty: "https://events.pagerduty.com/v2/enqueue",
  opsgenie: "https://api.opsgenie.com",
};

export function newChannel(zone: string): ChannelDraft {
  return {
    name: "",
    kind: "slack",
    url: "",
    key: "",
    to: "",
    sender: "",
    ownServer: false,
    host: "",
    port: "",
    security: "starttls",
    username: "",
    password: "",
    routingKey: "",
    apiKey: "",
    events: [...EVERYTHING],
    severity: "info",
    tags: "",
    jobs: "",
    namedOnly: false,
    windows: [],
    timezone: zone,
    allow: "critical",
    digest: "0",
    repeatAfter: "1h",
    perHour: "60",
  };
}

export function readChannel(channel: ChannelView, zone: string): ChannelDraft {
  const target = record(channel.target);
  const server = record(target.server);
  return {
    ...newChannel(zone),
    name: channel.name,
    kind: KINDS.find((kind) => kind === channel.kind) ?? "webhook",
    url: channel.kind in SERVICES ? text(target.url) : "",
    to: texts(target.to).join(", "),
    sender: text(target.sender),
    ownServer: target.server !== null && target.server !== undefined,
    host: text(server.host),
    port: text(server.port),
    security: text(server.security) || "starttls",
    username: text(server.username),
    events: channel.events,
    severity: channel.severity,
    tags: channel.tags.join(", "),
    jobs: channel.jobs.join(", "),
    namedOnly: channel.named_only,
    windows: (channel.quiet?.windows ?? []).map(({ days = [], start, end }) => ({ days, start, end })),
    timezone: channel.quiet?.timezone ?? zone,
    allow: channel.quiet ? (channel.quiet.allow ?? "") : "critical",
    digest: shortDuration(channel.digest),
    repeatAfter: shortDuration(channel.repeat_after),
    perHour: String(channel.per_hour),
  };
}

/** The request body, to create or change a channel. */
export function writeChannel(draft: ChannelDraft): ChannelBody {
  const quiet =
    draft.windows.length === 0
      ? null
      : { windows: draft.windows, timezone: draft.timezone, allow: draft.allow === "" ? null : draft.allow };
  return {
    name: draft.name.trim(),
    target: writeTarget(draft) as ChannelBody["target"],
    events: draft.events,
    severity: draft.severity,
    tags: words(draft.tags),
    jobs: words(draft.jobs),
    named_only: draft.namedOnly,
    quiet,
    digest: number(draft.digest) ?? 0,
    repeat_after: number(draft.repeatAfter) ?? 3_600,
    per_hour: number(draft.perHour) ?? 60,
  } as ChannelBody;
}

/** All missing fields at once; secrets of an existing channel are kept. */
export function missingIn(draft: ChannelDraft, exists: boolean): ApiError | null {
  const secret = { webhook: "url", slack: "url", apprise: "url", pagerduty: "routing_key", opsgenie: "api_key" };
  const value = { url: draft.url, routing_key: draft.routingKey, api_key: draft.apiKey };
  const needed: Record<string, string> = { name: draft.name };
  if (draft.kind === "email") needed["target.to"] = draft.to;
  else if (!exists) needed[`target.${secret[draft.kind]}`] = value[secret[draft.kind] as keyof typeof value];
  if (draft.kind === "email" && draft.ownServer) needed["target.server.host"] = draft.host;
  const fields = Object.keys(needed).filter((field) => needed[field]?.trim() === "");
  return fields.length
    ? new ApiError(422, { errors: fields.map((field) => ({ field, message: "is required" })) })
    : null;
}

function writeTarget(draft: ChannelDraft): Record<string, unknown> & { kind: ChannelKind } {
  const { kind } = draft;
  switch (kind) {
    case "webhook":
      return { kind, ...given({ url: draft.url, key: draft.key }) };
    case "slack":
    case "apprise":
      return { kind, ...given({ url: draft.url }) };
    case "email":
      return {
        kind,
        to: words(draft.to),
        sender: (draft.ownServer && draft.sender.trim()) || null, // the installation's server has its own
        server: draft.ownServer ? writeServer(draft) : null,
        ...(draft.ownServer ? given({ password: draft.password }) : {}),
      };
    case "pagerduty":
      return { kind, url: draft.url.trim() || SERVICES.pagerduty, ...given({ routing_key: draft.routingKey }) };
    case "opsgenie":
      return { kind, url: draft.url.trim() || SERVICES.opsgenie, ...given({ api_key: draft.apiKey }) };
  }
}

function writeServer(draft: ChannelDraft): Record<string, unknown> {
  return {
    host: draft.host.trim(),
    port: number(draft.port) ?? null,
    security: draft.security,
    username: draft.username.trim() || null,
  };
}

/** Secrets: fields left empty are unchanged. */
function given(secrets: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets)
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value !== ""),
  );
}

const EVENT_WORDS: Record<ChannelEvent, string> = {
  failure: "failures",
  dead_letter: "new dead letters",
  recovery: "recoveries",
  alert: "alerts",
  budget: "failure budgets",
};

export function eventWords(event: ChannelEvent): string {
  return EVENT_WORDS[event] ?? event;
}

/** What a channel gets, in a line: `failures, alerts · warning and above · #etl · quiet hours`. */
export function ruleWords(channel: ChannelView): string {
  const everything = EVERYTHING.every((event) => channel.events.includes(event));
  return [
    everything ? "everything" : channel.events.map(eventWords).join(", "),
    channel.severity === "info" ? "" : channel.severity === "critical" ? "critical only" : "warning and above",
    channel.named_only ? "only jobs that name it" : "",
    channel.tags.map((tag) => `#${tag}`).join(" "),
    channel.jobs.join(", "),
    channel.quiet ? "quiet hours" : "",
    channel.digest > 0 ? `digest every ${shortDuration(channel.digest)}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
