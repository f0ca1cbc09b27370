import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import { optimistic } from "@/api/patch";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { leave } from "@/live/batch";

export type Switch = "pause" | "resume" | "enable" | "disable";

export interface Named {
  id: string;
  name: string;
}

const DONE: Record<Switch, string> = { pause: "Paused", resume: "Resumed", enable: "Enabled", disable: "Disabled" };
const UNDO: Record<Switch, Switch> = { pause: "resume", resume: "pause", enable: "disable", disable: "enable" };
const EFFECT: Record<Switch, Record<string, unknown>> = {
  pause: { paused: true, status: "paused" },
  resume: { paused: false, status: "scheduled" },
  enable: { enabled: true, status: "scheduled" },
  disable: { enabled: false, status: "disabled", next_run_at: null },
};

export async function switchJob(id: string, verb: Switch): Promise<void> {
  const path = { id };
  if (verb === "pause") await call("POST /jobs/{id}/pause", { path });
  else if (verb === "resume") await call("POST /jobs/{id}/resume", { path });
  else if (verb === "enable") await call("POST /jobs/{id}/enable", { path });
  else await call("POST /jobs/{id}/disable", { path });
}

const reread = (client: QueryClient) => client.invalidateQueries({ queryKey: ["jobs"] });

/** Pause, resume, enable and disable: shown immediately, rolled back if the server refuses, with undo in the toast. */
export function useSwitchJob() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ job, verb }: { job: Named; verb: Switch; undoing?: boolean }) => switchJob(job.id, verb),
    onMutate: ({ job, verb }) => optimistic(client, "jobs", job.id, EFFECT[verb]),
    onError: (error, { job, verb }, undo) => {
      undo?.();
      toastError(`Could not ${verb} ${job.name}`, error);
    },
    onSuccess: (_, { job, verb, undoing }) => {
      const undo = () => mutation.mutate({ job, verb: UNDO[verb], undoing: true });
      toast(`${DONE[verb]} ${job.name}`, undoing ? {} : { undo });
    },
    onSettled: () => reread(client),
  });
  return (job: Named, verb: Switch) => mutation.mutate({ job, verb });
}

/** Queues a run now; the toast leads to it. */
export function useRunNow() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: (job: Named) => call("POST /jobs/{id}/run", { path: { id: job.id } }),
    onError: (error, job) => toastError(`Could not run ${job.name}`, error),
    onSuccess: (run, job) => {
      toast(`Queued a run of ${job.name}`, {
        action: { label: "Show", run: () => void navigate(`/runs/${run.id}`) },
      });
      void client.invalidateQueries({ queryKey: ["runs", "list"] });
    },
  });
  return (job: Named) => mutation.mutate(job);
}

export function useDeleteJob() {
  const client = useQueryClient();
  return async (job: Named): Promise<boolean> => {
    const sure = await confirm({
      title: `Delete ${job.name}?`,
      text: "Queued runs are cancelled and running ones are asked to stop. The history stays, but the job cannot be restored.",
      action: "Delete",
      danger: true,
    });
    if (!sure) return false;
    const stay = leave(job.id);
    try {
      await client.cancelQueries({ queryKey: ["jobs", "one", job.id] });
      await call("DELETE /jobs/{id}", { path: { id: job.id } });
    } catch (error) {
      stay();
      toastError(`Could not delete ${job.name}`, error);
      void reread(client);
      return false;
    }
    toast(`Deleted ${job.name}`);
    // Not what a page that is about to be left shows of it: there is nothing to read any more.
    void client.invalidateQueries({ predicate: ({ queryKey: [noun, , id] }) => noun === "jobs" && id !== job.id });
    return true;
  };
}
