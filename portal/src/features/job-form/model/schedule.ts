import type { JobBody } from "@/api/schema";
import { filled, type Json, list, number, record, text, texts } from "./read";

export type ScheduleKind = "cron" | "every" | "at" | "after" | "manual";
export type Schedule = NonNullable<JobBody["schedule"]>;

export interface BlackoutDraft {
  kind: "weekly" | "range";
  days: string[];
  /** A time of day, or an instant. */
  start: string;
  end: string;
}

export interface ScheduleDraft {
  kind: ScheduleKind;
  cron: string;
  every: string;
  at: string;
  afterJob: string;
  afterOn: string;
  timezone: string;
  startAt: string;
  endAt: string;
  maxRuns: string;
  jitter: string;
  blackouts: BlackoutDraft[];
  dstGap: string;
  dstFold: string;
  /** What the server had in place of the texts above, in a form that they cannot show: sent back as it came. */
  kept: { cron?: Kept; every?: Kept };
}

interface Kept {
  shown: string;
  value: unknown;
}

export function readSchedule(given: Json, zone: string): ScheduleDraft {
  const kind = kindOf(given);
  const after = record(given.after);
  const cron = cronText(given.cron);
  const every = everyText(given.every);
  return {
    kind,
    cron: cron || "0 9 * * MON-FRI",
    every: every || "15m",
    at: text(given.at),
    afterJob: text(after.job),
    afterOn: text(after.on) || "success",
    timezone: text(given.timezone) || (kind === "manual" ? zone : "UTC"),
    startAt: text(given.start_at),
    endAt: text(given.end_at),
    maxRuns: text(given.max_runs),
    jitter: given.jitter ? text(given.jitter) : "",
    blackouts: list(given.blackouts).map(record).map(readBlackout),
    dstGap: text(given.dst_gap) || "run_after",
    dstFold: text(given.dst_fold) || "first",
    kept: {
      ...(typeof given.cron === "object" ? { cron: { shown: cron, value: given.cron } } : {}),
      ...(given.every && typeof given.every !== "string" ? { every: { shown: every, value: given.every } } : {}),
    },
  };
}

function kindOf(given: Json): ScheduleKind {
  return (["cron", "every", "at", "after"] as const).find((kind) => kind in given) ?? "manual";
}

const CRON_FIELDS = ["minute", "hour", "day", "month", "day_of_week"];

/** Fields left out below the smallest given are 0, the others `*`. */
function cronText(value: unknown): string {
  if (typeof value !== "object" || value === null) return text(value);
  const fields = record(value);
  const smallest = CRON_FIELDS.findIndex((name) => name in fields);
  const shown = CRON_FIELDS.map((name, index) =>
    name in fields ? text(fields[name]) : index < smallest ? (index < 2 ? "0" : "1") : "*",
  );
  return ("second" in fields ? [text(fields.second), ...shown] : shown).join(" ");
}

function everyText(value: unknown): string {
  if (typeof value === "number") return `${value}s`;
  if (typeof value !== "object" || value === null) return text(value);
  return Object.entries(record(value))
    .map(([unit, count]) => `${text(count)}${unit.charAt(0)}`)
    .join("");
}

function readBlackout(given: Json): BlackoutDraft {
  const start = text(given.start);
  const weekly = "days" in given || /^\d\d:\d\d/.test(start);
  return { kind: weekly ? "weekly" : "range", days: texts(given.days), start, end: text(given.end) };
}

export function writeSchedule(draft: ScheduleDraft): Schedule {
  if (draft.kind === "manual") return { manual: true };
  const common = filled({
    timezone: draft.timezone.trim() === "UTC" ? undefined : draft.timezone.trim(),
    start_at: draft.startAt,
    end_at: draft.endAt,
    jitter: number(draft.jitter),
    blackouts: draft.blackouts.map(writeBlackout),
  });
  if (draft.kind === "after") {
    return { after: { job: draft.afterJob.trim(), on: draft.afterOn }, ...common } as unknown as Schedule;
  }
  const timed = filled({
    max_runs: number(draft.maxRuns),
    dst_gap: draft.dstGap === "run_after" ? undefined : draft.dstGap,
    dst_fold: draft.dstFold === "first" ? undefined : draft.dstFold,
  });
  return { ...mainOf(draft), ...common, ...timed } as unknown as Schedule;
}

function mainOf(draft: ScheduleDraft): Json {
  if (draft.kind === "cron") return { cron: original(draft.kept.cron, draft.cron) };
  return draft.kind === "every" ? { every: original(draft.kept.every, draft.every) } : { at: draft.at };
}

function original(kept: Kept | undefined, shown: string): unknown {
  return kept && kept.shown === shown ? kept.value : shown.trim();
}

function writeBlackout({ kind, days, start, end }: BlackoutDraft): Json {
  return kind === "weekly" && days.length > 0 ? { days, start, end } : { start, end };
}

/** Whether there is enough of it to ask the server. */
export function isComplete(draft: ScheduleDraft): boolean {
  const main = { cron: draft.cron, every: draft.every, at: draft.at, after: draft.afterJob, manual: "yes" };
  return main[draft.kind].trim() !== "" && draft.timezone.trim() !== "";
}
