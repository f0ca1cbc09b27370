import { useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import { useRuns } from "@/features/runs/queries";
import type { Span } from "./series";

const FAILURES = 50; // of as many, each job is shown once
const NUMBERS = 5_000; // ms: counters for the charts that go on by themselves

export function useNumbers() {
  return useQuery({
    queryKey: ["overview", "list", "numbers"],
    queryFn: ({ signal }) => call("GET /monitoring/jobs", { signal }),
    refetchInterval: NUMBERS,
  });
}

/** The time series of a span, up to now. Schedulers add to it every few seconds. */
export function useSeries({ value, milliseconds, step }: Span) {
  return useQuery({
    queryKey: ["overview", "series", value],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - milliseconds).toISOString();
      return call("GET /monitoring/series", { query: { since, step }, signal });
    },
    refetchInterval: 10_000,
  });
}

export function useSchedulers() {
  return useQuery({
    queryKey: ["schedulers", "list", {}],
    queryFn: ({ signal }) => call("GET /schedulers", { signal }),
    refetchInterval: 10_000,
  });
}

export const useRecentFailures = () => useRuns({ status: "failed", limit: FAILURES });
