import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "@/api/client";
import type { OperationView } from "@/api/schema";
import { toMillis } from "@/lib/times";
import { useCan } from "@/session/use-can";

const KEY = ["operations", "list", { limit: 10 }];
const SHOWN = 10 * 60_000; // ms for which ended ones are still shown
const LOOK = 1_000; // ms between two polls while one is running

const goesOn = (operation: OperationView) => operation.state === "running";

/** Running operations, and those that ended recently; polled often only while one is running. */
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
    // Not every operation creates runs, whose events would report it.
    for (const noun of ["dead-letters", "runs", "overview"]) void client.invalidateQueries({ queryKey: [noun] });
  }, [data, client]);
  const since = Date.now() - SHOWN;
  return data?.items.filter((one) => goesOn(one) || (one.finished_at && toMillis(one.finished_at) > since)) ?? [];
}
