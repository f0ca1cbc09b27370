import type { WorkerView } from "@/api/schema";

export interface Fleet {
  alive: WorkerView[];
  offline: WorkerView[];
  draining: number;
  slots: number;
  busy: number;
}

/** Workers as a whole; what is offline has no slots any more. */
export function fleetOf(workers: readonly WorkerView[]): Fleet {
  const alive = workers.filter((worker) => worker.status !== "offline");
  const sum = (read: (worker: WorkerView) => number) => alive.reduce((total, worker) => total + read(worker), 0);
  return {
    alive,
    offline: workers.filter((worker) => worker.status === "offline"),
    draining: alive.filter((worker) => worker.status === "draining").length,
    slots: sum((worker) => worker.slots),
    busy: sum((worker) => worker.busy),
  };
}

/** Whether a worker is what somebody looks for: by its name, host, queues or what it offers. */
export function matches(worker: WorkerView, sought: string): boolean {
  const text = sought.trim().toLowerCase();
  const words = [worker.name, worker.hostname, worker.id, ...worker.queues, ...worker.offers];
  return text === "" || words.some((word) => word.toLowerCase().includes(text));
}

/** What a worker offers: kinds of targets, and Python functions by name. */
export function offersOf(worker: Pick<WorkerView, "offers">): { kinds: string[]; functions: string[] } {
  const functions = worker.offers.filter((offer) => offer.startsWith("python:")).map((offer) => offer.slice(7));
  return { kinds: worker.offers.filter((offer) => !offer.includes(":")), functions };
}
