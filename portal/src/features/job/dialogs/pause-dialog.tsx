import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError, messageOf } from "@/api/errors";
import type { JobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { UntilField } from "@/components/ui/until-field";
import { useSwitchJob } from "@/features/jobs/job-verbs";
import { toast } from "@/lib/toasts";

/** Pauses the schedule, for a time or until it is resumed. */
export function PauseDialog({ job, onClose }: { job: JobView; onClose: () => void }) {
  const [until, setUntil] = useState("");
  const client = useQueryClient();
  const change = useSwitchJob();
  const pause = useMutation({
    mutationFn: () => call("POST /jobs/{id}/pause", { path: { id: job.id }, ...(until ? { body: { until } } : {}) }),
    onSuccess: (paused) => {
      client.setQueryData(["jobs", "one", job.id], paused);
      toast(`Paused ${job.name}`, { undo: () => change(job, "resume") });
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  const wrong = fieldError(pause.error, "until");
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Pause ${job.name}?`}
      description={`Its schedule stops. On resume, missed runs follow the catch-up policy (${job.catch_up}).`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={pause.isPending} onClick={() => pause.mutate()}>
            {until ? "Pause until then" : "Pause"}
          </Button>
        </>
      }
    >
      <UntilField value={until} onValue={setUntil} optional hint="Leave empty to pause until resumed." error={wrong} />
      {pause.error && !wrong ? (
        <p role="alert" className="mt-3 text-sm text-danger">
          {messageOf(pause.error)}
        </p>
      ) : null}
    </Dialog>
  );
}
