import { useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { RunView } from "@/api/schema";

const HEARTBEATS = 10_000; // ms: heartbeats are not events, so they are polled

export function useWorkers() {
  return useQuery({
    queryKey: ["workers", "list", {}],
    queryFn: ({ signal }) => call("GET /workers", { signal }),
    refetchInterval: HEARTBEATS,
  });
}

const RUNNING = { status: "running", limit: 200 } as const;

/** What runs now, by worker. Only this project's: the slots of others are seen as taken, no more. */
export function useRunsByWorker(): Map<string, RunView[]> {
  const { data } = useQuery({
    queryKey: ["runs", "list", RUNNING],
    queryFn: ({ signal }) => call("GET /runs", { query: RUNNING, signal }),
  });
  const found = new Map<string, RunView[]>();
  for (const run of data?.items ?? []) {
    if (run.status !== "running" || !run.worker_id) continue;
    found.set(run.worker_id, [...(found.get(run.worker_id) ?? []), run]);
  }
  return found;
}
