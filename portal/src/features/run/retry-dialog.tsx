import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import type { RunDetailView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useJob } from "@/features/job/queries";
import { formErrors, only } from "@/features/job-form/form-errors";
import { asText, draftOf } from "@/features/job-form/model/arguments";
import { RunInput } from "@/features/runs/input/run-input";
import { jsonError } from "@/lib/json-text";
import { toast, toastError } from "@/lib/toasts";

interface RetryDialogProps {
  run: RunDetailView;
  onClose: () => void;
}

/** Retries with another input; links to the new run. */
export function RetryDialog({ run, onClose }: RetryDialogProps) {
  const [input, setInput] = useState(() => draftOf(run.input));
  const job = useJob(run.job_id);
  const text = asText(input);
  const navigate = useNavigate();
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () =>
      call("POST /runs/{id}/retry", {
        path: { id: run.id },
        body: { input: text.trim() === "" ? null : (JSON.parse(text) as unknown) },
      }),
    onError: (error) => {
      if (!formErrors(error).under("input")) toastError(`Could not retry the run of ${run.job_name}`, error);
    },
    onSuccess: (made) => {
      toast(`Retrying ${run.job_name}`);
      onClose();
      void client.invalidateQueries({ queryKey: ["runs"] });
      void navigate(`/runs/${made.id}`);
    },
  });
  const wrong = jsonError(text);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Retry the run of ${run.job_name}`}
      description="Starts a new run with the job's current definition and this input."
      className="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={retry.isPending} disabled={wrong !== null} onClick={() => retry.mutate()}>
            Retry
          </Button>
        </>
      }
    >
      {job.isPending ? (
        <SkeletonLines lines={3} />
      ) : (
        <RunInput
          target={job.data?.target}
          draft={input}
          onDraft={(change) => {
            setInput({ ...input, ...change });
            if (retry.isError) retry.reset();
          }}
          errors={wrong ? only("input", wrong) : formErrors(retry.error)}
        />
      )}
    </Dialog>
  );
}
