import type { JobView, WorkerView } from "@/api/schema";

export type Target = NonNullable<JobView["target"]>;

/** What a worker must offer to carry a target out, in the server's own words. */
export function needsOf(target: Target): string {
  if (target.kind === "python") return `python:${target.function}`;
  if (target.kind === "artifact" && target.image) return "artifact:container";
  return target.kind;
}

/** Whether some live worker serves the queue and offers what is needed. One that drains takes nothing more. */
export function canBeTaken(workers: readonly WorkerView[], queue: string, needs: string): boolean {
  return workers.some(
    (worker) =>
      (worker.status === "idle" || worker.status === "busy") &&
      (worker.queues.length === 0 || worker.queues.includes(queue)) &&
      worker.offers.includes(needs),
  );
}

/** What is missing, in a sentence without a full stop. */
export function missing(workers: readonly WorkerView[], queue: string, needs: string): string {
  const serves = workers.some(
    ({ status, queues }) => (status === "idle" || status === "busy") && (queues.length === 0 || queues.includes(queue)),
  );
  return serves ? `No live worker in queue ${queue} offers ${needs}` : `No live worker serves queue ${queue}`;
}
