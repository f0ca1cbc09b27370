import { useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import { useWorkers } from "@/features/workers/queries";

export function useRun(id: string) {
  return useQuery({
    queryKey: ["runs", "one", id],
    queryFn: ({ signal }) => call("GET /runs/{id}", { path: { id }, signal }),
  });
}

export function useAttempts(id: string) {
  return useQuery({
    queryKey: ["runs", "one", id, "attempts"],
    queryFn: ({ signal }) => call("GET /runs/{id}/attempts", { path: { id }, signal }),
  });
}

export function useExplanation(id: string) {
  return useQuery({
    queryKey: ["runs", "one", id, "explain"],
    queryFn: ({ signal }) => call("GET /runs/{id}/explain", { path: { id }, signal }),
  });
}

/** The names of workers, so that people need not know them by their ids. */
export function useWorkerNames(): (id: string | null | undefined) => string | null {
  const workers = useWorkers();
  return (id) => {
    if (!id) return null;
    return workers.data?.items.find((worker) => worker.id === id)?.name ?? id.slice(0, 8);
  };
}
