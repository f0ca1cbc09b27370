import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";

const AT_WORK = 1_000; // ms between two looks at a message that is being sent

/** The channels of the project, or of the installation. */
export function useChannels(installation: boolean, cursor = "") {
  const query = { limit: 50, ...(installation ? { installation } : {}), ...(cursor ? { cursor } : {}) };
  return useQuery({
    queryKey: ["channels", "list", query],
    queryFn: ({ signal }) => call("GET /channels", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000, // what was delivered is no event
  });
}

export function useDeliveries(id: string, installation: boolean) {
  return useQuery({
    queryKey: ["channels", "one", id, "deliveries"],
    queryFn: ({ signal }) =>
      call("GET /channels/{id}/deliveries", { path: { id }, query: { limit: 50, installation }, signal }),
    refetchInterval: 5_000,
  });
}

/** One message, polled until its outcome is known. */
export function useDelivery(channel: string, installation: boolean, delivery: string | undefined) {
  return useQuery({
    queryKey: ["channels", "one", channel, "delivery", delivery],
    queryFn: ({ signal }) =>
      call("GET /channels/{id}/deliveries", { path: { id: channel }, query: { limit: 50, installation }, signal }),
    select: (found) => found.items.find((one) => one.id === delivery),
    enabled: delivery !== undefined,
    refetchInterval: ({ state }) => {
      const found = state.data?.items.find((one) => one.id === delivery);
      return found && found.state !== "pending" ? false : AT_WORK;
    },
  });
}
