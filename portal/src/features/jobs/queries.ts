import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";

export type JobsQuery = NonNullable<Query<"GET /jobs">>;

/** A page of jobs with what the table shows of each, in one request. */
export function useJobs(given: JobsQuery) {
  const query: JobsQuery = { ...given, include: "recent,words" };
  return useQuery({
    queryKey: ["jobs", "list", query],
    queryFn: ({ signal }) => call("GET /jobs", { query, signal }),
    placeholderData: keepPreviousData,
  });
}
