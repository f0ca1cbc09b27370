import type { JobBody, JobView, WorkerView } from "@/api/schema";

export type Target = NonNullable<JobView["target"] | JobBody["target"]>;

/** What a worker must offer to carry a target out, in the server's own words. */
export function needsOf(target: Target): string {
  if (target.kind === "python") return `python:${target.function}`;
  if (target.kind === "artifact" && target.image) return "artifact:container";
  return target.kind;
}

/** If some queues of a worker are hidden from us, we cannot say that it does not. */
const serves = (worker: WorkerView, queue: string) =>
  (worker.status === "idle" || worker.status === "busy") &&
  (worker.queues.includes(queue) || worker.other_queues > 0 || servesAll(worker));

export function servesAll({ queues, other_queues, projects, other_projects }: WorkerView): boolean {
  return queues.length + other_queues === 0 && projects.length + other_projects === 0;
}

/** Whether some live worker serves the queue and offers what is needed. A draining worker takes no new runs. */
export function canBeTaken(workers: readonly WorkerView[], queue: string, needs: string): boolean {
  return workers.some((worker) => serves(worker, queue) && worker.offers.includes(needs));
}

/** What is missing, in a sentence without a full stop. */
export function missing(workers: readonly WorkerView[], queue: string, needs: string): string {
  const served = workers.some((worker) => serves(worker, queue));
  return served ? `No live worker in queue ${queue} offers ${needs}` : `No live worker serves queue ${queue}`;
}
