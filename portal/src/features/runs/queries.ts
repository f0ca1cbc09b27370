import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";

export type RunsQuery = NonNullable<Query<"GET /runs">>;

export function useRuns(query: RunsQuery) {
  return useQuery({
    queryKey: ["runs", "list", query],
    queryFn: ({ signal }) => call("GET /runs", { query, signal }),
    placeholderData: keepPreviousData,
  });
}
