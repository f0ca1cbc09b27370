import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { RunDetailView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { JsonField } from "@/components/ui/json-field";
import { jsonError } from "@/lib/json-text";
import { toast, toastError } from "@/lib/toasts";

interface RetryDialogProps {
  run: RunDetailView;
  onClose: () => void;
}

/** The same once more with another input; leads to the new run. */
export function RetryDialog({ run, onClose }: RetryDialogProps) {
  const [text, setText] = useState(() => (run.input === null ? "" : JSON.stringify(run.input, null, 2)));
  const navigate = useNavigate();
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () =>
      call("POST /runs/{id}/retry", {
        path: { id: run.id },
        body: { input: text.trim() === "" ? null : (JSON.parse(text) as unknown) },
      }),
    onError: (error) => {
      if (!fieldError(error, "input")) toastError(`Could not retry the run of ${run.job_name}`, error);
    },
    onSuccess: (made) => {
      toast(`Queued ${run.job_name} once more`);
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
      description="As a new run of the job as it is now, with this input."
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
      <JsonField label="Input" value={text} onValue={setText} error={wrong ?? fieldError(retry.error, "input")} />
    </Dialog>
  );
}
