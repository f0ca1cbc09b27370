import type { AuditView, ChangeView } from "@/api/schema";

/** A value as one line of text; long ones are cut, and can be shown in full. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return value === "" ? "empty" : value;
  return JSON.stringify(value);
}

export const isLong = (text: string) => text.length > 80 || text.includes("\n");

/** Whether a change is too much for one line. */
export function needsRoom({ old, new: now }: ChangeView): boolean {
  return [old, now].some((value) => isLong(inWords(value)));
}

/** The old and the new value; either may be absent. */
export function kindOf({ old, new: now }: ChangeView): "set" | "removed" | "changed" {
  if (old === null || old === undefined) return "set";
  return now === null || now === undefined ? "removed" : "changed";
}

/** The job version that it created, if any. */
export function versionOf({ action, subject, changes }: AuditView): number | null {
  if (subject.kind !== "job" || !subject.id) return null;
  if (action === "job.create") return 1;
  const made = changes.find(({ path }) => path === "version")?.new;
  return typeof made === "number" ? made : null;
}

const VERBS: Record<string, string> = {
  create: "created",
  edit: "changed",
  delete: "deleted",
  revoke: "revoked",
  remove: "removed",
  add: "added",
  set: "set",
  pause: "paused",
  resume: "resumed",
  enable: "enabled",
  disable: "disabled",
  drain: "drained",
  cancel: "cancelled",
  rollback: "rolled back",
  accept: "accepted",
  sign_out: "signed out everywhere",
  signup: "signed up",
  redrive: "redrove",
  discard: "discarded",
  rename: "renamed",
  retry: "retried",
  replace: "replaced",
  backfill: "backfilled",
  join: "joined as",
  password: "set the password of",
  second_factor_on: "turned on the second factor of",
  second_factor_off: "turned off the second factor of",
  second_factor_reset: "reset the second factor of",
  recovery_codes: "created recovery codes for",
  recovery_code_used: "used a recovery code of",
};

/** `job.edit` as people say it: `changed the job`. */
export function actionWords(action: string): string {
  const [kind = action, verb = ""] = action.split(".");
  if (kind === "session")
    return (
      { open: "signed in", end: "signed out", reuse: "used an old refresh token", refused: "was locked out" }[verb] ??
      action
    );
  const words = VERBS[verb];
  return words ? `${words} the ${kind.replaceAll("_", " ")}` : action;
}
