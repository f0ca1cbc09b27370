import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";

export interface NamedRun {
  id: string;
  job_name: string;
  status: string;
}

/** Asks first where work would be lost. */
export function useCancelRun() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (run: NamedRun) => call("POST /runs/{id}/cancel", { path: { id: run.id } }),
    onError: (error, run) => toastError(`Could not cancel the run of ${run.job_name}`, error),
    onSuccess: (_, run) =>
      toast(
        run.status === "running" ? `Asked the run of ${run.job_name} to stop` : `Cancelled the run of ${run.job_name}`,
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["runs"] }),
  });
  return async (run: NamedRun) => {
    const sure = await confirm({
      title: `Cancel this run of ${run.job_name}?`,
      text: run.status === "running" ? "It is asked to stop, and killed if it doesn't." : "It will not start.",
      action: "Cancel the run",
      danger: true,
    });
    if (sure) mutation.mutate(run);
  };
}

/** Retries an ended run as a new one; the toast links to it. */
export function useRetryRun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: (run: NamedRun) => call("POST /runs/{id}/retry", { path: { id: run.id } }),
    onError: (error, run) => toastError(`Could not retry the run of ${run.job_name}`, error),
    onSuccess: (made, run) =>
      toast(`Retrying ${run.job_name}`, {
        action: { label: "Show", run: () => void navigate(`/runs/${made.id}`) },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ["runs"] }),
  });
  return (run: NamedRun) => mutation.mutate(run);
}

export const isLive = (status: string): boolean => status === "queued" || status === "running";
