import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { QueueView, QueueViewListing } from "@/api/schema";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";

const KEY = ["queues", "list", {}];

export function useQueues() {
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call("GET /queues", { signal }),
    refetchInterval: 15_000, // pausing a queue is not an event
  });
}

function hold(name: string, paused: boolean) {
  const path = { name };
  return paused ? call("POST /queues/{name}/pause", { path }) : call("POST /queues/{name}/resume", { path });
}

/** Pause and resume: shown immediately, rolled back if the server refuses. Affects all projects, so pausing asks. */
export function useHoldQueue() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ queue, paused }: { queue: QueueView; paused: boolean }) => hold(queue.name, paused),
    onMutate: async ({ queue, paused }) => {
      await client.cancelQueries({ queryKey: ["queues"] });
      const before = client.getQueryData<QueueViewListing>(KEY);
      client.setQueryData<QueueViewListing>(KEY, (old) =>
        old ? { ...old, items: old.items.map((one) => (one.name === queue.name ? { ...one, paused } : one)) } : old,
      );
      return () => client.setQueryData(KEY, before);
    },
    onError: (error, { queue, paused }, undo) => {
      undo?.();
      toastError(`Could not ${paused ? "pause" : "resume"} ${queue.name}`, error);
    },
    onSuccess: (_, { queue, paused }) => {
      const undo = () => mutation.mutate({ queue, paused: false });
      toast(`${paused ? "Paused" : "Resumed"} ${queue.name}`, paused ? { undo } : {});
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["queues"] }),
  });
  return async (queue: QueueView, paused: boolean) => {
    const question = {
      title: `Pause the queue ${queue.name}?`,
      text: "No runs are started from it, in any project. Running ones finish, queued ones wait.",
      action: "Pause",
    };
    if (!paused || (await confirm(question))) mutation.mutate({ queue, paused });
  };
}

type Engine = "database" | "celery" | null;

/** Affects all projects, so it asks. */
export function useChooseEngine() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ queue, engine }: { queue: QueueView; engine: Engine }) =>
      call("PATCH /queues/{name}", { path: { name: queue.name }, body: { engine } }),
    onError: (error, { queue }) => toastError(`Could not choose the engine of ${queue.name}`, error),
    onSuccess: (found) => toast(`${found.name} is carried by ${found.carried_by}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["queues"] }),
  });
  return async (queue: QueueView, engine: Engine) => {
    const question = {
      title: `Change the engine of ${queue.name}?`,
      text: "Its runs, of all projects, then reach only workers of that engine. None is lost or executed twice.",
      action: "Change",
    };
    if (await confirm(question)) mutation.mutate({ queue, engine });
  };
}
