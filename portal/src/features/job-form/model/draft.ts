import type { FieldError } from "@/api/errors";
import { TARGET_KINDS } from "@/api/kinds";
import type { JobBody, JobView } from "@/api/schema";
import { userZone } from "@/lib/times";
import { type AlertDraft, readAlert, writeAlert } from "./alert";
import { isObject } from "./arguments";
import { violations } from "./check";
import { malformed } from "./formats";
import { type PolicyDraft, readPolicies, writePolicies } from "./policies";
import { filled, type Json, record, text, texts } from "./read";
import { readSchedule, type ScheduleDraft, writeSchedule } from "./schedule";
import { type CeleryDraft, readCelery, writeCelery } from "./target-celery";
import {
  type ArtifactDraft,
  type ContainerDraft,
  type PythonDraft,
  parsed,
  readArtifact,
  readContainer,
  readPython,
  readScript,
  type ScriptDraft,
  writeArtifact,
  writeContainer,
  writePython,
  writeScript,
} from "./target-code";
import { type HttpDraft, readHttp, words, writeHttp } from "./target-http";
import { type OtherDraft, readOther, writeOther } from "./target-other";

export type Kind = "http" | "script" | "python" | "container" | "artifact" | "celery" | "other";

/** A job as its form has it: every kind of target side by side, so that looking at another loses nothing. */
export interface Draft {
  name: string;
  description: string;
  tags: string;
  enabled: boolean;
  kind: Kind;
  http: HttpDraft;
  script: ScriptDraft;
  python: PythonDraft;
  container: ContainerDraft;
  artifact: ArtifactDraft;
  celery: CeleryDraft;
  other: OtherDraft;
  schedule: ScheduleDraft;
  policies: PolicyDraft;
  alert: AlertDraft;
  notify: string[];
}

const KINDS: Kind[] = ["http", "script", "python", "container", "artifact", "celery"];

/** The kinds that the server knows and the form does not: they are written as JSON. */
export const OTHER_KINDS = TARGET_KINDS.filter((kind) => !KINDS.some((known) => known === kind));

/** The form of a definition, or of an empty one: missing and invalid values are left empty. */
export function readDraft(given: unknown): Draft {
  const job = record(given);
  const target = record(job.target);
  const kind = KINDS.find((one) => one === target.kind) ?? (text(target.kind) === "" ? "http" : "other");
  const of = (one: Kind): Json => (one === kind ? target : {});
  return {
    name: text(job.name),
    description: text(job.description),
    tags: texts(job.tags).join(", "),
    enabled: job.enabled !== false,
    kind,
    http: readHttp(of("http")),
    script: readScript(of("script")),
    python: readPython(of("python")),
    container: readContainer(of("container")),
    artifact: readArtifact(of("artifact")),
    celery: readCelery(of("celery")),
    other: readOther(kind === "other" ? target : { kind: OTHER_KINDS[0] ?? "" }),
    schedule: readSchedule(record(job.schedule), userZone()),
    policies: readPolicies(job),
    alert: readAlert(job.alert),
    notify: texts(job.notify),
  };
}

export function writeTarget(draft: Draft): JobBody["target"] {
  switch (draft.kind) {
    case "http":
      return writeHttp(draft.http);
    case "script":
      return writeScript(draft.script);
    case "python":
      return writePython(draft.python);
    case "container":
      return writeContainer(draft.container);
    case "artifact":
      return writeArtifact(draft.artifact);
    case "celery":
      return writeCelery(draft.celery);
    case "other":
      return writeOther(draft.other);
  }
}

/** The definition in the form: only filled-in fields, the rest are the server's defaults. */
export function writeDraft(draft: Draft): JobBody {
  return {
    name: draft.name.trim(),
    ...filled({ description: draft.description, tags: words(draft.tags) }),
    target: writeTarget(draft),
    schedule: writeSchedule(draft.schedule),
    ...writePolicies(draft.policies),
    ...filled({ alert: writeAlert(draft.alert), notify: draft.notify }),
    enabled: draft.enabled,
  };
}

// Named one by one, so that the compiler misses a new one.
const READ_ONLY: Record<Exclude<keyof JobView, keyof JobBody>, true> = {
  id: true,
  version: true,
  status: true,
  unreadable: true,
  next_run_at: true,
  last_run_at: true,
  last_status: true,
  paused: true,
  paused_until: true,
  created_by: true,
  created_at: true,
  updated_by: true,
  updated_at: true,
};

/** A job without what only the server says. */
export function definitionOf(job: JobView): Json {
  return Object.fromEntries(Object.entries(job).filter(([name]) => !(name in READ_ONLY)));
}

/** A definition as the form would write it: two of them differ only where they mean different things. */
export function normal(definition: unknown): JobBody {
  return writeDraft(readDraft(definition));
}

/** What the form itself knows to be wrong, without asking the server. */
export function problems(draft: Draft): FieldError[] {
  const missing = required(draft).filter(([, value]) => value.trim() === "");
  return [...mistakes(draft), ...missing.map(([field]) => ({ field, message: "Required" }))];
}

/** Problems with filled-in values: shown as soon as the user leaves a field. */
export function mistakes(draft: Draft): FieldError[] {
  const missing = new Set(required(draft).flatMap(([field, value]) => (value.trim() === "" ? [field] : [])));
  const found = [...noJson(draft), ...mistakesIn(writeDraft(draft))];
  return found.filter(({ field }) => !missing.has(field));
}

/** The same of a definition. */
export function mistakesIn(definition: unknown): FieldError[] {
  const found = [...violations(definition), ...malformed(record(definition).target)];
  return found.filter((one, index) => found.findIndex(({ field }) => field === one.field) === index);
}

function noJson({ kind, python, artifact, celery, other }: Draft): FieldError[] {
  switch (kind) {
    case "other":
      return isObject(parsed(other.json)) ? [] : [{ field: "target", message: "is not a JSON object" }];
    case "python":
      return unlike("target.arguments", python.json, isObject, "an object");
    case "artifact":
      return unlike(
        "target.arguments",
        artifact.runs === "function" ? artifact.arguments : null,
        isObject,
        "an object",
      );
    case "celery":
      return [
        ...unlike("target.kwargs", celery.json, isObject, "an object"),
        ...unlike("target.args", celery.args, Array.isArray, "a list"),
      ];
    default:
      return [];
  }
}

function unlike(field: string, written: string | null, is: (value: unknown) => boolean, what: string): FieldError[] {
  if (written === null || written.trim() === "") return [];
  const value = parsed(written);
  if (value === undefined) return [{ field, message: "is not valid JSON" }];
  return is(value) ? [] : [{ field, message: `must be ${what}` }];
}

/** Required fields, so that all missing ones are reported together. */
function required({
  name,
  kind,
  http,
  script,
  python,
  container,
  artifact,
  celery,
  schedule,
}: Draft): [string, string][] {
  const target: Record<Kind, [string, string][]> = {
    http: [["target.url", http.url]],
    script: [script.from === "file" ? ["target.file", script.file] : ["target.source", script.source]],
    python: [["target.function", python.function]],
    container: [["target.image", container.image]],
    artifact: [
      ["target.uri", artifact.uri],
      ["target.digest", artifact.digest],
      ["target.entrypoint", artifact.runs === "function" ? artifact.function : artifact.command.join("")],
    ],
    celery: [["target.task", celery.task]],
    other: [],
  };
  const times: Record<ScheduleDraft["kind"], [string, string][]> = {
    cron: [["schedule.cron", schedule.cron]],
    every: [["schedule.every", schedule.every]],
    at: [["schedule.at", schedule.at]],
    after: [["schedule.after.job", schedule.afterJob]],
    manual: [],
  };
  return [["name", name], ...target[kind], ...times[schedule.kind]];
}
