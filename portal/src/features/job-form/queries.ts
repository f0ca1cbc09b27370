import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "@/api/client";
import { everyPage } from "@/api/every-page";
import type { PreviewBody } from "@/api/schema";
import { useCan } from "@/session/use-can";
import type { Schedule } from "./model/schedule";

const PAUSE = 300; // ms without typing before the server is asked

/** A value once it has stayed the same for a moment. */
export function useSettled<T>(value: T, pause = PAUSE): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}

/** What a schedule will do, as one types; set against what the job does now, if there is one. */
export function usePreview(schedule: Schedule, complete: boolean, job?: string) {
  const asked = useSettled(JSON.stringify(schedule));
  const query = useQuery({
    queryKey: ["schedules", "preview", asked, job],
    queryFn: ({ signal }) =>
      call("POST /schedules/preview", {
        body: { schedule: JSON.parse(asked) as Schedule, count: 10, ...(job ? { job } : {}) } as PreviewBody,
        signal,
      }),
    enabled: complete,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { ...query, settled: asked === JSON.stringify(schedule) };
}

export function useFunctions(enabled: boolean) {
  return useQuery({
    queryKey: ["task-functions", "all"],
    queryFn: ({ signal }) =>
      everyPage((cursor) => call("GET /task-functions", { query: { ...cursor, limit: 200 }, signal })),
    enabled,
  });
}

/** Names of jobs that have a text in them, for choosing one. */
export function useJobNames(q: string) {
  const asked = useSettled(q);
  return useQuery({
    queryKey: ["jobs", "list", { q: asked, limit: 20 }],
    queryFn: ({ signal }) => call("GET /jobs", { query: { q: asked, limit: 20 }, signal }),
    placeholderData: keepPreviousData,
    select: (found) => found.items.map((job) => job.name),
  });
}

/** Names of secrets, for users who may see them. */
export function useSecretNames(): string[] {
  const can = useCan();
  const query = useQuery({
    queryKey: ["secrets", "all"],
    queryFn: ({ signal }) => everyPage((cursor) => call("GET /secrets", { query: { ...cursor, limit: 200 }, signal })),
    enabled: can("secrets:read"),
    select: (found) => found.items.map((secret) => secret.name),
  });
  return query.data ?? [];
}

export function useQueueNames(): string[] {
  const query = useQuery({
    queryKey: ["queues", "list", {}],
    queryFn: ({ signal }) => call("GET /queues", { signal }),
    select: (found) => found.items.map((queue) => queue.name),
  });
  return query.data ?? [];
}
