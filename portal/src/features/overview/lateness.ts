import type { RunView } from "@/api/schema";
import { toMillis } from "@/lib/times";

export interface Late {
  id: string;
  at: number;
  ms: number;
}

export interface Lateness {
  points: Late[];
  median: number | null;
  worst: Late | null;
}

type Run = Pick<RunView, "id" | "due_at" | "created_at" | "started_at">;

/** How long after they were due (or created, if that was later) runs started. */
export function latenessOf(runs: readonly Run[]): Lateness {
  const points: Late[] = [];
  for (const run of runs) {
    if (!run.started_at) continue;
    const due = Math.max(run.due_at ? toMillis(run.due_at) : 0, toMillis(run.created_at));
    const at = toMillis(run.started_at);
    points.push({ id: run.id, at, ms: Math.max(0, at - due) });
  }
  points.sort((a, b) => a.at - b.at);
  const sorted = points.map((one) => one.ms).sort((a, b) => a - b);
  const worst = points.reduce<Late | null>((most, one) => (most && most.ms >= one.ms ? most : one), null);
  return { points, median: sorted[Math.floor(sorted.length / 2)] ?? null, worst };
}
