import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { FunctionView, WorkerView } from "@/api/schema";
import { isAlive } from "@/features/workers/fleet";
import { useWorkers } from "@/features/workers/queries";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";

export const NOUN = "task-functions";

export function useFunctions(cursor: string) {
  const query = { limit: 100, ...(cursor ? { cursor } : {}) };
  return useQuery({
    queryKey: [NOUN, "list", query],
    queryFn: ({ signal }) => call("GET /task-functions", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}

export function useFunction(name: string) {
  return useQuery({
    queryKey: [NOUN, "one", name],
    queryFn: ({ signal }) => call("GET /task-functions/{name}", { path: { name }, signal }),
    enabled: name !== "",
    retry: (failures, error) => error instanceof ApiError && error.passing && failures < 3,
  });
}

/** The workers that would carry a function out now. */
export function useOfferers(): (name: string) => WorkerView[] {
  const workers = useWorkers().data?.items ?? [];
  return (name) => workers.filter((worker) => isAlive(worker) && worker.offers.includes(`python:${name}`));
}

export function useSwitchFunction() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ name, active }: { name: string; active: boolean }) =>
      call("PATCH /task-functions/{name}", { path: { name }, body: { is_active: active } }),
    onError: (error, { name, active }) => toastError(`Could not ${active ? "activate" : "deactivate"} ${name}`, error),
    onSuccess: (_, { name, active }) =>
      toast(active ? `Activated ${name}` : `Deactivated ${name}: schedules of jobs that call it are skipped`, {
        undo: () => mutation.mutate({ name, active: !active }),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: [NOUN] }),
  });
  return (given: FunctionView, active: boolean) => mutation.mutate({ name: given.name, active });
}

export function useForgetFunction() {
  const client = useQueryClient();
  return async ({ name }: FunctionView): Promise<boolean> => {
    const sure = await confirm({
      title: `Forget ${name}?`,
      text: "It is taken off the list. A worker that still has it brings it back when it starts.",
      action: "Forget",
      danger: true,
    });
    if (!sure) return false;
    try {
      await call("DELETE /task-functions/{name}", { path: { name } });
      toast(`Forgot ${name}`);
      return true;
    } catch (error) {
      toastError(`Could not forget ${name}`, error);
      return false;
    } finally {
      void client.invalidateQueries({ queryKey: [NOUN, "list"] });
    }
  };
}
