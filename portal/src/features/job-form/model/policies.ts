import type { JobBody } from "@/api/schema";
import { filled, type Json, number, record, text, texts } from "./read";
import { words } from "./target-http";

/** Empty texts are the server's defaults. */
export interface PolicyDraft {
  maxAttempts: string;
  backoff: string;
  delay: string;
  maxDelay: string;
  retryJitter: string;
  permanentExitCodes: string;
  timeout: string;
  overlap: string;
  maxInstances: string;
  unlimited: boolean;
  catchUp: string;
  catchUpWindow: string;
  queue: string;
  priority: string;
  startWithin: string;
  grace: string;
  keep: boolean;
}

export function readPolicies(given: Json): PolicyDraft {
  const retry = record(given.retry);
  return {
    maxAttempts: text(retry.max_attempts),
    backoff: text(retry.backoff) || "exponential",
    delay: text(retry.delay),
    maxDelay: text(retry.max_delay),
    retryJitter: text(retry.jitter),
    permanentExitCodes: texts(retry.permanent_exit_codes).join(", "),
    timeout: text(given.timeout),
    overlap: text(given.overlap) || "skip",
    maxInstances: text(given.max_instances),
    unlimited: given.max_instances === null,
    catchUp: text(given.catch_up) || "last",
    catchUpWindow: text(given.catch_up_window),
    queue: text(given.queue),
    priority: text(given.priority),
    startWithin: text(given.start_within),
    grace: text(given.grace),
    keep: given.keep === true,
  };
}

export function writePolicies(draft: PolicyDraft): Partial<JobBody> {
  return filled({
    retry: filled({
      max_attempts: number(draft.maxAttempts),
      backoff: draft.backoff === "exponential" ? undefined : draft.backoff,
      delay: number(draft.delay),
      max_delay: number(draft.maxDelay),
      jitter: number(draft.retryJitter),
      permanent_exit_codes: words(draft.permanentExitCodes).map((code) => number(code)),
    }),
    timeout: number(draft.timeout),
    overlap: draft.overlap === "skip" ? undefined : draft.overlap,
    max_instances: draft.unlimited ? null : number(draft.maxInstances),
    catch_up: draft.catchUp === "last" ? undefined : draft.catchUp,
    catch_up_window: number(draft.catchUpWindow),
    queue: draft.queue.trim(),
    priority: number(draft.priority),
    start_within: number(draft.startWithin),
    grace: number(draft.grace),
    keep: draft.keep || undefined,
  }) as Partial<JobBody>;
}

const DEFAULTS = { attempts: 3, delay: 60, most: 3_600 };

/** The pauses between the attempts of a run in seconds, without the jitter. */
export function waits(draft: PolicyDraft): number[] {
  const of = (given: string, otherwise: number) => {
    const value = number(given);
    return typeof value === "number" && value >= 0 ? value : otherwise;
  };
  const attempts = Math.min(100, of(draft.maxAttempts, DEFAULTS.attempts));
  const delay = of(draft.delay, DEFAULTS.delay);
  const most = of(draft.maxDelay, DEFAULTS.most);
  const factor = { exponential: (n: number) => 2 ** (n - 1), linear: (n: number) => n, fixed: () => 1 };
  const grow = factor[draft.backoff as keyof typeof factor] ?? factor.exponential;
  return Array.from({ length: Math.max(0, Math.floor(attempts) - 1) }, (_, index) =>
    Math.min(most, delay * grow(index + 1)),
  );
}
