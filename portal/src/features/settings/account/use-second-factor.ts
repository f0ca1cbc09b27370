import { useQuery } from "@tanstack/react-query";
import { call } from "@/api/client";

/** Whether it is on by now: the session's user is as it was at sign-in. */
export function useSecondFactor(enabled = true) {
  return useQuery({
    queryKey: ["second-factor"],
    queryFn: ({ signal }) => call("GET /auth/second-factor", { signal }),
    enabled,
  });
}
