import type { WorkerView } from "@/api/schema";

export interface Fleet {
  alive: WorkerView[];
  /** Dead or cut off. */
  offline: WorkerView[];
  /** Shut down in an orderly way. */
  stopped: WorkerView[];
  draining: number;
  slots: number;
  busy: number;
}

export function isAlive({ status }: Pick<WorkerView, "status">): boolean {
  return status !== "offline" && status !== "stopped";
}

/** Workers as a whole; those that are gone have no slots any more. */
export function fleetOf(workers: readonly WorkerView[]): Fleet {
  const alive = workers.filter(isAlive);
  const sum = (read: (worker: WorkerView) => number) => alive.reduce((total, worker) => total + read(worker), 0);
  return {
    alive,
    offline: workers.filter((worker) => worker.status === "offline"),
    stopped: workers.filter((worker) => worker.status === "stopped"),
    draining: alive.filter((worker) => worker.status === "draining").length,
    slots: sum((worker) => worker.slots),
    busy: sum((worker) => worker.busy),
  };
}

/** Whether a worker matches a search: by its name, host, queues or what it offers. */
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
