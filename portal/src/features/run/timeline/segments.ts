import type { AttemptView, RunView } from "@/api/schema";
import { toMillis } from "@/lib/times";

export type SegmentKind = "ahead" | "waiting" | "attempt" | "backoff";

/** A period in the life of a run. `to` is null while it lasts. */
export interface Segment {
  kind: SegmentKind;
  from: number;
  to: number | null;
  label: string;
  /** For an attempt: how it ended, or `running`. */
  outcome?: string;
  /** For a finished attempt: how long its execution took. */
  took?: number | null;
  worker?: string | null;
  n?: number;
}

type Run = Pick<
  RunView,
  | "status"
  | "outcome"
  | "attempt"
  | "created_at"
  | "due_at"
  | "started_at"
  | "finished_at"
  | "duration_ms"
  | "worker_id"
  | "parked"
  | "scheduled_for"
>;
type Attempt = Pick<AttemptView, "n" | "worker_id" | "started_at" | "finished_at" | "duration_ms"> & {
  outcome: string | null;
};

const at = (time: string | null): number | null => (time === null ? null : toMillis(time));

/** What happened to a run one after the other, without gaps: waiting, attempts, and the pauses between them. */
export function segmentsOf(run: Run, attempts: readonly Attempt[]): Segment[] {
  const tries = allAttempts(run, attempts);
  const made = toMillis(run.created_at);
  const found: Segment[] = [];
  // Once it was tried, `due_at` is that of the next try; when it was first due then follows from its schedule.
  const due =
    tries.length > 1 || (run.status === "queued" && tries.length > 0) ? at(run.scheduled_for) : at(run.due_at);
  let before = made;
  if (due !== null && due > made) {
    found.push({ kind: "ahead", from: made, to: due, label: "Until due" });
    before = due;
  }
  tries.forEach((one, index) => {
    const start = at(one.started_at) ?? before;
    if (index === 0) push(found, waiting(before, start));
    else pause(found, before, start, index === tries.length - 1 ? at(run.due_at) : null);
    const end = at(one.finished_at);
    found.push({
      kind: "attempt",
      from: start,
      to: end,
      label: `Attempt ${one.n}`,
      outcome: one.outcome ?? "running",
      took: one.duration_ms,
      worker: one.worker_id,
      n: one.n,
    });
    before = end ?? start;
  });
  if (run.status === "queued") pending(found, run, before, tries.length > 0);
  else if (tries.length === 0) push(found, waiting(before, at(run.finished_at) ?? before));
  return found;
}

/** The current attempt comes from the run itself, which may be newer than the list. */
function allAttempts(run: Run, attempts: readonly Attempt[]): Attempt[] {
  const sorted = attempts.filter((one) => one.outcome !== null).sort((a, b) => a.n - b.n);
  if (run.attempt === 0 || run.status === "queued" || sorted.some((one) => one.n === run.attempt)) return sorted;
  if (run.started_at === null) return sorted;
  const { worker_id, started_at, finished_at, duration_ms } = run;
  const outcome = run.parked ? "parked" : (run.outcome ?? run.status);
  return [...sorted, { n: run.attempt, worker_id, started_at, finished_at, duration_ms, outcome }];
}

function waiting(from: number, to: number): Segment {
  return { kind: "waiting", from, to, label: "Waited for a worker" };
}

function pause(found: Segment[], from: number, to: number, due: number | null): void {
  if (due === null || due <= from || due >= to) {
    push(found, { kind: "backoff", from, to, label: "Backoff" });
    return;
  }
  push(found, { kind: "backoff", from, to: due, label: "Backoff" });
  push(found, waiting(due, to));
}

function pending(found: Segment[], run: Run, before: number, tried: boolean): void {
  const due = at(run.due_at);
  if (tried && due !== null && due > before) {
    found.push({ kind: "backoff", from: before, to: due, label: "Backoff" });
    found.push({ kind: "waiting", from: due, to: null, label: "Waiting for a worker" });
  } else {
    found.push({ kind: "waiting", from: before, to: null, label: "Waiting for a worker" });
  }
}

function push(found: Segment[], segment: Segment): void {
  if (segment.to !== null && segment.to - segment.from >= 1) found.push(segment);
}
