import { useEffect, useRef } from "react";
import { ApiError } from "@/api/errors";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Panel } from "@/components/ui/panel";
import { userZone } from "@/lib/times";
import { AboutFields } from "./about-fields";
import { AlertFields } from "./alert-fields";
import { formErrors } from "./form-errors";
import { isComplete, writeSchedule } from "./model/schedule";
import { NotifyFields } from "./notify-fields";
import { PolicyFields } from "./policy-fields";
import { usePreview } from "./queries";
import { Preview } from "./schedule/preview";
import { ScheduleFields } from "./schedule/schedule-fields";
import { TargetSection } from "./target-section";
import type { JobForm } from "./use-job-form";

interface JobFieldsProps {
  form: JobForm;
  /** The job that is edited: its schedule is what a new one is compared with. */
  job?: string;
}

/** All fields of a job, next to a preview of its schedule. */
export function JobFields({ form, job }: JobFieldsProps) {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!(form.error instanceof ApiError)) return;
    const wrong = top.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-invalid]");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.focus({ preventScroll: true });
  }, [form.error]);
  return (
    <div ref={top}>
      {form.json === null ? <Fields form={form} job={job} /> : <AsJson form={form} json={form.json} />}
    </div>
  );
}

function Fields({ form, job }: JobFieldsProps) {
  const { draft } = form;
  const schedule = writeSchedule(draft.schedule);
  const preview = usePreview(schedule, isComplete(draft.schedule), job);
  const wrong = preview.isPlaceholderData ? null : preview.error;
  const errors = formErrors(form.error, form.early, wrong);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] lg:*:col-start-1">
      <Panel title="About">
        <AboutFields
          draft={draft}
          onDraft={form.setTop}
          errors={errors}
          example={["nightly-report", "finance, nightly"]}
          first={!job}
        />
      </Panel>
      <TargetSection draft={draft} onKind={(kind) => form.setTop({ kind })} onTarget={form.setTarget} errors={errors} />
      <Panel title="Schedule">
        <ScheduleFields draft={draft.schedule} onDraft={form.setSchedule} errors={errors} />
      </Panel>
      <Panel title="Preview" className="lg:sticky lg:top-16 lg:col-start-2! lg:row-span-4 lg:row-start-1">
        <div aria-live="polite">
          <Preview
            preview={isComplete(draft.schedule) ? preview.data : undefined}
            error={wrong}
            settled={preview.settled && !preview.isFetching}
            zone={draft.schedule.kind === "cron" ? draft.schedule.timezone : userZone()}
            manual={draft.schedule.kind === "manual" || draft.schedule.kind === "after"}
          />
        </div>
      </Panel>
      <Panel title="Policies">
        <PolicyFields
          draft={draft.policies}
          onDraft={form.setPolicies}
          errors={errors}
          scheduled={draft.schedule.kind !== "manual"}
        />
        <div className="mt-2 space-y-2">
          <AlertFields draft={draft.alert} onDraft={form.setAlert} errors={errors} />
          <NotifyFields notify={draft.notify} onNotify={(notify) => form.setTop({ notify })} errors={errors} />
        </div>
      </Panel>
    </div>
  );
}

function AsJson({ form, json }: { form: JobForm; json: string }) {
  const wrong = form.error ?? form.early;
  const errors = wrong instanceof ApiError ? wrong.fields : [];
  return (
    <Panel>
      <Field
        label="Definition"
        hint="The full definition, as accepted by the API."
        error={errors.map(({ field, message }) => `${field}: ${message}`).join("; ") || undefined}
      >
        <CodeEditor language="json" aria-label="Definition" value={json} onValue={form.setJson} className="min-h-96" />
      </Field>
    </Panel>
  );
}
