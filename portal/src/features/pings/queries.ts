import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";

const POLL = 5_000; // ms: a signal from elsewhere is no event

export function usePings(query: NonNullable<Query<"GET /pings">>) {
  return useQuery({
    queryKey: ["pings", "list", query],
    queryFn: ({ signal }) => call("GET /pings", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL,
  });
}

export function usePing(id: string) {
  return useQuery({
    queryKey: ["pings", "one", id],
    queryFn: ({ signal }) => call("GET /pings/{id}", { path: { id }, signal }),
    refetchInterval: POLL,
  });
}

export function usePingEvents(id: string) {
  return useQuery({
    queryKey: ["pings", "one", id, "events"],
    queryFn: ({ signal }) => call("GET /pings/{id}/events", { path: { id }, query: { limit: 100 }, signal }),
    refetchInterval: POLL,
  });
}

export function usePingEvent(id: string, n: number) {
  return useQuery({
    queryKey: ["pings", "one", id, "event", n],
    queryFn: ({ signal }) => call("GET /pings/{id}/events/{n}", { path: { id, n }, signal }),
    staleTime: Number.POSITIVE_INFINITY, // it never changes
  });
}
