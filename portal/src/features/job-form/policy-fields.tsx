import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { seconds } from "@/lib/durations";
import type { DraftProps } from "./draft-props";
import type { PolicyDraft } from "./model/policies";
import { NumberField } from "./number-field";
import { useQueueNames } from "./queries";
import { RetryFields, retrySummary } from "./retry-fields";
import { textBinding } from "./text-binding";

interface PolicyProps extends DraftProps<PolicyDraft> {
  /** Whether there is a schedule: some questions make no sense without. */
  scheduled: boolean;
}

const OVERLAPS = [
  { value: "skip", label: "Skip" },
  { value: "queue_one", label: "Queue one" },
  { value: "queue_all", label: "Queue all" },
  { value: "cancel_running", label: "Cancel the running one" },
  { value: "allow", label: "Run in parallel" },
];
const CATCH_UPS = [
  { value: "last", label: "Run the latest" },
  { value: "all", label: "Run all, in order" },
  { value: "first", label: "Run the earliest" },
  { value: "none", label: "Skip" },
];
const LIMITS = ["timeout", "start_within", "grace", "overlap", "max_instances", "catch_up", "catch_up_window"];

export function PolicyFields({ scheduled, ...form }: PolicyProps) {
  const { draft, onDraft, errors } = form;
  const text = textBinding(form);
  const wrong = (names: string[]) => names.some((name) => errors.under(name) !== undefined);
  return (
    <div className="space-y-2">
      <Fold title="Retries" summary={retrySummary(draft)} needed={wrong(["retry"])}>
        <RetryFields {...form} />
      </Fold>
      <Fold title="Timeouts and concurrency" summary={limitSummary(draft, scheduled)} needed={wrong(LIMITS)}>
        <div className="grid gap-3 sm:grid-cols-2">
          <NumberField {...text("timeout", "timeout")} label="Timeout per attempt (seconds)" placeholder="300" />
          <NumberField
            {...text("startWithin", "start_within")}
            label="Must start within (seconds)"
            hint="A run that does not start in time fails as expired."
            placeholder="no limit"
          />
          <NumberField
            {...text("grace", "grace")}
            label="Grace period (seconds)"
            hint="Time between asking an attempt to stop and killing it."
            placeholder="worker default"
          />
          {draft.unlimited ? null : (
            <NumberField
              {...text("maxInstances", "max_instances")}
              label="Maximum concurrent runs"
              hint="Further runs wait or are skipped."
              placeholder={scheduled ? "1" : "no limit"}
            />
          )}
          <CheckField
            label="No limit on concurrent runs"
            checked={draft.unlimited}
            onChecked={(unlimited) => onDraft({ unlimited })}
          />
          {scheduled ? (
            <CheckField
              label="Keep this job after it finishes"
              checked={draft.keep}
              onChecked={(keep) => onDraft({ keep })}
            />
          ) : null}
          {scheduled ? (
            <>
              <Field label="If still running" error={errors.at("overlap")}>
                <Select
                  className="w-full"
                  choices={OVERLAPS}
                  value={draft.overlap}
                  onValue={(overlap) => onDraft({ overlap })}
                />
              </Field>
              <Field label="Missed runs" error={errors.at("catch_up")}>
                <Select
                  className="w-full"
                  choices={CATCH_UPS}
                  value={draft.catchUp}
                  onValue={(catchUp) => onDraft({ catchUp })}
                />
              </Field>
              {draft.catchUp === "none" ? null : (
                <NumberField
                  {...text("catchUpWindow", "catch_up_window")}
                  label="Look back at most (seconds)"
                  placeholder="86400"
                />
              )}
            </>
          ) : null}
        </div>
      </Fold>
      <QueueFields {...form} />
    </div>
  );
}

function QueueFields(props: DraftProps<PolicyDraft>) {
  const { draft, errors } = props;
  const text = textBinding(props);
  const queues = useQueueNames();
  return (
    <Fold
      title="Queue and priority"
      summary={`${draft.queue || "default"}${draft.priority ? ` · priority ${draft.priority}` : ""}`}
      needed={["queue", "priority"].some((name) => errors.at(name) !== undefined)}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          {...text("queue", "queue")}
          label="Queue"
          optional
          hint="Workers serve all queues by default."
          list="queues"
          placeholder="default"
          autoComplete="off"
        />
        <datalist id="queues">
          {queues.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <NumberField
          {...text("priority", "priority")}
          label="Priority"
          hint="0 to 9. Higher starts first."
          placeholder="5"
        />
      </div>
    </Fold>
  );
}

function limitSummary(draft: PolicyDraft, scheduled: boolean): string {
  const words = [`${draft.timeout ? seconds(Number(draft.timeout) || 0) : "5 min"} per attempt`];
  if (draft.unlimited || draft.overlap === "allow") words.push("no concurrency limit");
  else if (draft.maxInstances || scheduled) words.push(`${draft.maxInstances || "1"} concurrent`);
  if (scheduled && draft.catchUp !== "last") words.push(`catches up ${draft.catchUp}`);
  return words.join(" · ");
}
