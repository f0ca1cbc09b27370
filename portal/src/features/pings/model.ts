import type { PingBody, PingView } from "@/api/schema";
import { number, record } from "@/features/job-form/model/read";
import { readSchedule, type ScheduleDraft, writeSchedule } from "@/features/job-form/model/schedule";
import { words } from "@/features/job-form/model/target-http";
import { shortDuration } from "@/lib/short-duration";

export interface PingDraft {
  name: string;
  description: string;
  tags: string;
  schedule: ScheduleDraft;
  grace: string;
  timeout: string;
}

export function newPing(zone: string): PingDraft {
  const schedule: ScheduleDraft = { ...readSchedule({}, zone), kind: "cron", cron: "0 3 * * *" };
  return { name: "", description: "", tags: "", schedule, grace: "1h", timeout: "" };
}

export function readPing(ping: PingView, zone: string): PingDraft {
  return {
    name: ping.name,
    description: ping.description,
    tags: ping.tags.join(", "),
    schedule: readSchedule(record(ping.schedule), zone),
    grace: spanOf(ping.grace),
    timeout: ping.timeout === null ? "" : spanOf(ping.timeout),
  };
}

export function writePing(draft: PingDraft): PingBody {
  return {
    name: draft.name.trim(),
    description: draft.description,
    tags: words(draft.tags),
    schedule: writeSchedule(draft.schedule) as PingBody["schedule"],
    grace: number(draft.grace) ?? "1h",
    timeout: number(draft.timeout) ?? null,
  };
}

/** What an edit sends: options of the schedule that are gone are said to be, since the rest is merged. */
export function patchOf(ping: PingView, draft: PingDraft): Record<string, unknown> {
  const body = writePing(draft);
  const before = Object.keys(record(ping.schedule));
  const after = record(body.schedule);
  const same = draft.schedule.kind in record(ping.schedule);
  const gone = same ? before.filter((name) => !(name in after)) : [];
  return { ...body, schedule: { ...Object.fromEntries(gone.map((name) => [name, null])), ...after } };
}

function spanOf(seconds: number): string {
  return Number.isInteger(seconds) ? shortDuration(seconds) : String(seconds);
}
