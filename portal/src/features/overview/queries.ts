import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import { useRuns } from "@/features/runs/queries";

const NUMBERS = 5_000; // ms: counters for the charts that go on by themselves

export function useNumbers() {
  return useQuery({
    queryKey: ["overview", "list", "numbers"],
    queryFn: ({ signal }) => call("GET /monitoring/jobs", { signal }),
    refetchInterval: NUMBERS,
  });
}

export function useHours(hours: number) {
  return useQuery({
    queryKey: ["overview", "list", "hours", hours],
    queryFn: ({ signal }) => call("GET /monitoring/hours", { query: { hours }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000, // the next hour begins without an event
  });
}

export function useSchedulers() {
  return useQuery({
    queryKey: ["schedulers", "list", {}],
    queryFn: ({ signal }) => call("GET /schedulers", { signal }),
    refetchInterval: 10_000,
  });
}

export const useRecentRuns = () => useRuns({ limit: 100 });
export const useRecentFailures = () => useRuns({ status: "failed", limit: 8 });
