import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";

/** The sinks of the project, or of the installation. */
export function useSinks(installation: boolean, cursor = "") {
  const query = { limit: 50, ...(installation ? { installation } : {}), ...(cursor ? { cursor } : {}) };
  return useQuery({
    queryKey: ["sinks", "list", query],
    queryFn: ({ signal }) => call("GET /sinks", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000, // what was sent is no event
  });
}
