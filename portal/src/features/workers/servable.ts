import type { JobView, WorkerView } from "@/api/schema";

export type Target = NonNullable<JobView["target"]>;

/** What a worker must offer to carry a target out, in the server's own words. */
export function needsOf(target: Target): string {
  if (target.kind === "python") return `python:${target.function}`;
  if (target.kind === "artifact" && target.image) return "artifact:container";
  return target.kind;
}

const serves = ({ status, queues, projects }: WorkerView, queue: string) =>
  (status === "idle" || status === "busy") &&
  (queues.includes(queue) || (queues.length === 0 && projects.length === 0));

/** Whether some live worker serves the queue and offers what is needed. One that drains takes nothing more. */
export function canBeTaken(workers: readonly WorkerView[], queue: string, needs: string): boolean {
  return workers.some((worker) => serves(worker, queue) && worker.offers.includes(needs));
}

/** What is missing, in a sentence without a full stop. */
export function missing(workers: readonly WorkerView[], queue: string, needs: string): string {
  const served = workers.some((worker) => serves(worker, queue));
  return served ? `No live worker in queue ${queue} offers ${needs}` : `No live worker serves queue ${queue}`;
}
