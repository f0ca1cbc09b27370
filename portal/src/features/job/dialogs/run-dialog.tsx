import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { call } from "@/api/client";
import { messageOf } from "@/api/errors";
import type { JobView, TriggerBody } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Input } from "@/components/ui/input";
import { InstantInput } from "@/components/ui/instant-input";
import { formErrors, only } from "@/features/job-form/form-errors";
import { type ArgumentsDraft, asText, draftOf } from "@/features/job-form/model/arguments";
import { parsed } from "@/features/job-form/model/target-code";
import { RunInput } from "@/features/runs/input/run-input";
import { userZone } from "@/lib/times";
import { toast } from "@/lib/toasts";

/** Runs a job now, or later, with an input if it takes one. */
export function RunDialog({ job, onClose }: { job: JobView; onClose: () => void }) {
  const [input, setInput] = useState(() => draftOf(null));
  const [runAt, setRunAt] = useState("");
  const [priority, setPriority] = useState("");
  const [wrong, setWrong] = useState<string | undefined>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: (body: TriggerBody) => call("POST /jobs/{id}/run", { path: { id: job.id }, body }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      void client.invalidateQueries({ queryKey: ["jobs"] });
      toast(`Queued a run of ${job.name}`, {
        action: { label: "Show", run: () => void navigate(`/runs/${made.id}`) },
      });
      onClose();
    },
  });
  const submit = () => {
    const body: TriggerBody = {
      ...(runAt ? { run_at: runAt } : {}),
      ...(priority ? { priority: Number(priority) } : {}),
    };
    const text = asText(input);
    const given = text.trim() === "" ? null : parsed(text);
    setWrong(given === undefined ? "is not valid JSON" : undefined);
    if (given !== undefined) run.mutate(given === null ? body : { ...body, input: given });
  };
  /** What was said about the input is not said of another one. */
  const change = (part: Partial<ArgumentsDraft>) => {
    setInput({ ...input, ...part });
    setWrong(undefined);
    if (run.isError) run.reset();
  };
  const { error } = run;
  const errors = formErrors(error);
  const told = ["input", "run_at", "priority"].some((name) => errors.under(name));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Run ${job.name} now`}
      description={job.enabled && !job.paused ? undefined : "Runs even though the schedule is on hold."}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={run.isPending} onClick={submit}>
            <Play /> Run
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <RunInput target={job.target} draft={input} onDraft={change} errors={wrong ? only("input", wrong) : errors} />
        <Fold title="Start time and priority" summary={runAt || priority ? "" : "now"}>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label="Not before" optional error={errors.at("run_at")}>
              <InstantInput value={runAt} zone={userZone()} onValue={setRunAt} />
            </Field>
            <Field label="Priority" optional hint="0 to 9, 9 first." error={errors.at("priority")}>
              <Input
                inputMode="numeric"
                placeholder={String(job.priority)}
                value={priority}
                onChange={(event) => setPriority(event.target.value)}
              />
            </Field>
          </div>
        </Fold>
        {error && !told ? (
          <p role="alert" className="text-sm text-danger">
            {messageOf(error)}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
