import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { OperationView, OperationViewListing, VersionViewListing } from "@/api/schema";

// Below ["jobs", "one", id]: refetched whenever the job or one of its runs changes.
export function useJob(id: string) {
  return useQuery({
    queryKey: ["jobs", "one", id],
    queryFn: ({ signal }) => call("GET /jobs/{id}", { path: { id }, signal }),
  });
}

export function useNext(id: string, count: number) {
  return useQuery({
    queryKey: ["jobs", "one", id, "next", count],
    queryFn: ({ signal }) => call("GET /jobs/{id}/next", { path: { id }, query: { count }, signal }),
  });
}

export function useStats(id: string) {
  return useQuery({
    queryKey: ["jobs", "one", id, "stats"],
    queryFn: ({ signal }) => call("GET /jobs/{id}/stats", { path: { id }, signal }),
  });
}

/** How its runs ended, hour by hour. */
export function useHours(id: string, hours: number) {
  return useQuery({
    queryKey: ["jobs", "one", id, "hours", hours],
    queryFn: ({ signal }) => call("GET /monitoring/hours", { query: { job: id, hours }, signal }),
  });
}

/** Its newest runs, for the strip and the trend. */
export function useNewestRuns(id: string, limit: number) {
  return useQuery({
    queryKey: ["jobs", "one", id, "newest", limit],
    queryFn: ({ signal }) => call("GET /jobs/{id}/runs", { path: { id }, query: { limit }, signal }),
  });
}

export function useExplanation(id: string) {
  return useQuery({
    queryKey: ["jobs", "one", id, "explain"],
    queryFn: ({ signal }) => call("GET /jobs/{id}/explain", { path: { id }, signal }),
    refetchInterval: 15_000, // gates open with time, which is not an event
  });
}

export function useVersions(id: string) {
  return useInfiniteQuery({
    queryKey: ["jobs", "one", id, "versions"],
    queryFn: ({ pageParam, signal }) =>
      call("GET /jobs/{id}/versions", { path: { id }, query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** One version: from the list if it is there, otherwise fetched. */
export function useVersion(id: string, version: number, list: InfiniteData<VersionViewListing> | undefined) {
  const known = list?.pages.flatMap((page) => page.items).find((one) => one.version === version);
  const alone = useQuery({
    queryKey: ["jobs", "one", id, "version", version],
    queryFn: ({ signal }) => call("GET /jobs/{id}/versions/{version}", { path: { id, version }, signal }),
    enabled: list !== undefined && known === undefined && version > 0,
    staleTime: Number.POSITIVE_INFINITY, // it never changes
  });
  return { version: known ?? alone.data, error: known ? null : alone.error, loading: !known && alone.isLoading };
}

const AT_WORK = 1_000; // ms between two polls of a running backfill

/** The backfills of a job that are under way, or ended while the page was open. */
export function useOperation(id: string | null) {
  return useQuery({
    queryKey: ["operations", "one", id],
    queryFn: ({ signal }) => call("GET /operations/{id}", { path: { id: id ?? "" }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && state.data.state !== "running" ? false : AT_WORK),
  });
}

const OPERATIONS = ["operations", "list", { limit: 50 }];

/** Puts one that has just begun into the list: it may be over before the list is read again. */
export function tellBegun(client: QueryClient, operation: OperationView): void {
  client.setQueryData<OperationViewListing>(OPERATIONS, (old) => ({
    items: [operation, ...(old?.items ?? [])],
    next_cursor: old?.next_cursor ?? null,
  }));
}

export function useBackfills(job: string) {
  return useQuery({
    queryKey: OPERATIONS,
    queryFn: ({ signal }) => call("GET /operations", { query: { limit: 50 }, signal }),
    select: (found): OperationView[] =>
      found.items.filter((one) => one.job_id === job && one.kind === "backfill" && one.state === "running"),
  });
}
