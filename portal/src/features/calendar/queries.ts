import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";

type CalendarQuery = NonNullable<Query<"GET /calendar">>;

const MINUTE = 60_000;

export function useCalendar(query: CalendarQuery) {
  return useQuery({
    queryKey: ["calendar", "list", query],
    queryFn: ({ signal }) => call("GET /calendar", { query, signal }),
    placeholderData: keepPreviousData,
    staleTime: MINUTE, // a change of a job is an event, which refetches it
  });
}
