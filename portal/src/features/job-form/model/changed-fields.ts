import { ApiError } from "@/api/errors";

export type Section = "target" | "schedule" | "policies" | "alert" | "top";

// What the form calls other than the API does.
const ALIASES: Record<string, string[]> = {
  token: ["auth"],
  username: ["auth"],
  password: ["auth"],
  auth: ["auth", "auth.basic", "auth.bearer"],
  callbackTimeout: ["callback"],
  from: ["source", "file"],
  runs: ["entrypoint"],
  function: ["function", "entrypoint"],
  command: ["command", "entrypoint"],
  json: ["arguments"],
  memory: ["limits.memory"],
  cpus: ["limits.cpus"],
  processes: ["limits.processes"],
  network: ["network", "sandbox"],
  readOnly: ["sandbox"],
  budgetFailures: ["failure_budget"],
  budgetWithin: ["failure_budget"],
  afterJob: ["after", ""],
  afterOn: ["after"],
  unlimited: ["max_instances"],
  maxAttempts: ["retry.max_attempts"],
  backoff: ["retry.backoff"],
  delay: ["retry.delay"],
  maxDelay: ["retry.max_delay"],
  retryJitter: ["retry.jitter"],
  permanentExitCodes: ["retry.permanent_exit_codes"],
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The problems that remain after a change: those of changed fields are dropped. */
export function stillWrong(error: unknown, section: Section, change: object): unknown {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error;
  const prefix = section === "policies" || section === "top" ? "" : `${section}.`;
  const names = Object.keys(change).flatMap((key) => ALIASES[key] ?? [snake(key)]);
  const changed = names.map((name) => (prefix + name).replace(/\.$/, ""));
  const left = error.fields.filter(
    ({ field }) =>
      !changed.some((name) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)),
  );
  if (left.length === error.fields.length) return error;
  return left.length === 0 ? null : refused(left);
}

/** What the form itself refuses, as if the server had. */
export function refused(errors: { field: string; message: string }[]): ApiError {
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new ApiError(422, { title: "Invalid input", detail, errors });
}
