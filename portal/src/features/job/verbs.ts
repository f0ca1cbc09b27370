import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import type { Named } from "@/features/jobs/job-verbs";
import { toast, toastError } from "@/lib/toasts";

/** Runs the latest failed run again; the toast links to it. */
export function useRetryLatest() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: (job: Named) => call("POST /jobs/{id}/retry", { path: { id: job.id } }),
    onError: (error, job) => toastError(`Could not retry ${job.name}`, error),
    onSuccess: (run, job) =>
      toast(`Retrying the latest failed run of ${job.name}`, {
        action: { label: "Show", run: () => void navigate(`/runs/${run.id}`) },
      }),
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: ["runs"] }), client.invalidateQueries({ queryKey: ["jobs"] })]),
  });
  return (job: Named) => mutation.mutate(job);
}
