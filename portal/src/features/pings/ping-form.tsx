import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { call } from "@/api/client";
import type { PingView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/dialog";
import { Refusal } from "@/components/ui/refusal";
import { TextField } from "@/components/ui/text-field";
import { AboutFields } from "@/features/job-form/about-fields";
import { formErrors } from "@/features/job-form/form-errors";
import { isComplete, type ScheduleDraft, writeSchedule } from "@/features/job-form/model/schedule";
import { usePreview } from "@/features/job-form/queries";
import { Preview } from "@/features/job-form/schedule/preview";
import { ScheduleFields } from "@/features/job-form/schedule/schedule-fields";
import { textBinding } from "@/features/job-form/text-binding";
import { userZone } from "@/lib/times";
import { toast } from "@/lib/toasts";
import { newPing, type PingDraft, patchOf, readPing, writePing } from "./model";
import { usePingVerbs } from "./ping-verbs";

interface PingFormProps {
  /** The one that is edited; without it, a new one. */
  ping?: PingView;
  onClose: () => void;
  onSaved?: (ping: PingView) => void;
}

export function PingForm({ ping, onClose, onSaved }: PingFormProps) {
  const id = useId();
  const { known } = usePingVerbs();
  const [draft, setDraft] = useState<PingDraft>(() => (ping ? readPing(ping, userZone()) : newPing(userZone())));
  const change = (patch: Partial<PingDraft>) => setDraft((before) => ({ ...before, ...patch }));
  const save = useMutation({
    mutationFn: () =>
      ping
        ? call("PATCH /pings/{id}", { path: { id: ping.id }, version: ping.version, body: patchOf(ping, draft) })
        : call("POST /pings", { body: writePing(draft) }),
    onSuccess: (saved) => {
      known(saved);
      toast(ping ? `Saved ${saved.name}` : `Created ${saved.name}`);
      onSaved?.(saved);
      onClose();
    },
  });
  const preview = usePreview(writeSchedule(draft.schedule), isComplete(draft.schedule));
  const wrong = preview.isPlaceholderData ? null : preview.error;
  const errors = formErrors(save.error, wrong);
  const form = { draft, onDraft: change, errors };
  const text = textBinding(form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const setSchedule = (patch: Partial<ScheduleDraft>) =>
    setDraft((before) => ({ ...before, schedule: { ...before.schedule, ...patch } }));
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={ping ? `Edit ${ping.name}` : "New ping"}
      description={ping ? undefined : "Watches a job that runs elsewhere. The job calls a URL, which you get next."}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={save.isPending}>
            {ping ? "Save" : "Create ping"}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} noValidate className="space-y-4 pt-1">
        <AboutFields {...form} example={["backup-db"]} />
        <h3 className="border-t border-line pt-4 text-sm font-semibold">Expected</h3>
        <ScheduleFields draft={draft.schedule} onDraft={setSchedule} errors={errors} foreign />
        {draft.schedule.kind === "manual" ? null : (
          <div aria-live="polite" className="rounded-md bg-sunken p-3">
            <Preview
              preview={isComplete(draft.schedule) ? preview.data : undefined}
              error={wrong}
              settled={preview.settled && !preview.isFetching}
              zone={draft.schedule.kind === "cron" ? draft.schedule.timezone : userZone()}
              manual={false}
            />
          </div>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            {...text("grace", "grace")}
            label="Grace"
            hint="How long after the expected time it is merely late."
            placeholder="1h"
          />
          <TextField
            {...text("timeout", "timeout")}
            label="Timeout"
            optional
            hint="From start to end, if it reports its start. As long as the grace by default."
            placeholder={draft.grace}
          />
        </div>
        <Refusal error={save.error} />
      </form>
    </Sheet>
  );
}
