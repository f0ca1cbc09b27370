import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { Query } from "@/api/request";
import type { DeadLetterFilter } from "@/api/schema";

export type LettersQuery = NonNullable<Query<"GET /dead-letters">>;

export function useDeadLetters(query: LettersQuery) {
  return useQuery({
    queryKey: ["dead-letters", "list", "letters", query],
    queryFn: ({ signal }) => call("GET /dead-letters", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

export function useDeadGroups(query: LettersQuery) {
  return useQuery({
    queryKey: ["dead-letters", "list", "groups", query],
    queryFn: ({ signal }) => call("GET /dead-letters/groups", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** How many match, by the causes that they have; `more` if there are more causes than were read. */
export function useDeadCount(filter: DeadLetterFilter): { total: number; more: boolean } {
  const groups = useDeadGroups({ ...filter, limit: 200 });
  const items = groups.data?.items ?? [];
  return {
    total: items.reduce((sum, group) => sum + group.count, 0),
    more: Boolean(groups.data?.next_cursor),
  };
}
