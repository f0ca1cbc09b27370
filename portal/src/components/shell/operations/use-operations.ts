import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "@/api/client";
import type { OperationView } from "@/api/schema";
import { toMillis } from "@/lib/times";
import { useCan } from "@/session/use-can";

const KEY = ["operations", "list", { limit: 10 }];
const SHOWN = 10 * 60_000; // ms for which what has ended is still shown
const LOOK = 1_000; // ms between two looks while something goes on

const goesOn = (operation: OperationView) => operation.state === "running";

/** What goes on by itself, and what did a little while ago; asked often only while something does. */
export function useOperations(): OperationView[] {
  const can = useCan();
  const client = useQueryClient();
  const before = useRef(new Set<string>());
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call("GET /operations", { query: { limit: 10 }, signal }),
    enabled: can("operations:read"),
    refetchInterval: (query) => (query.state.data?.items.some(goesOn) ? LOOK : false),
  });
  useEffect(() => {
    const now = new Set(data?.items.filter(goesOn).map((one) => one.id));
    const ended = [...before.current].some((id) => !now.has(id));
    before.current = now;
    if (!ended) return;
    // Not every operation makes runs, which would tell by themselves.
    for (const noun of ["dead-letters", "runs", "overview"]) void client.invalidateQueries({ queryKey: [noun] });
  }, [data, client]);
  const since = Date.now() - SHOWN;
  return data?.items.filter((one) => goesOn(one) || (one.finished_at && toMillis(one.finished_at) > since)) ?? [];
}
