import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";

const POLL = 10_000; // ms: alerts open and clear without an event

export type AlertsQuery = NonNullable<Query<"GET /alerts">>;

/** What is wrong now, for the whole portal. It is read in hidden tabs, too: their title and icon are what one sees. */
export function useMonitoredAlerts() {
  return useQuery({
    queryKey: ["alerts", "list", "monitored"],
    queryFn: ({ signal }) => call("GET /monitoring/alerts", { signal }),
    refetchInterval: POLL,
    refetchIntervalInBackground: true,
  });
}

export function useAlerts(query: AlertsQuery) {
  return useQuery({
    queryKey: ["alerts", "list", query],
    queryFn: ({ signal }) => call("GET /alerts", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL,
  });
}

export function useAlert(id: string) {
  return useQuery({
    queryKey: ["alerts", "one", id],
    queryFn: ({ signal }) => call("GET /alerts/{id}", { path: { id }, signal }),
    refetchInterval: POLL,
  });
}
