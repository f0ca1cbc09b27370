import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";

/** Keys are `[noun, "list", query]` and `[noun, "one", id, …]`: live events find what they concern by them. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        retry: (failures, error) => error instanceof ApiError && error.passing && failures < 3,
        retryDelay: (failures, error) => {
          const asked = error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : 0;
          return Math.max(asked, Math.min(10_000, 500 * 2 ** failures));
        },
      },
    },
  });
}
