import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { seconds } from "@/lib/durations";
import type { FormErrors } from "./form-errors";
import type { PolicyDraft } from "./model/policies";
import { NumberField } from "./number-field";
import { useQueueNames } from "./queries";
import { RetryFields, retrySummary } from "./retry-fields";

export interface PolicyProps {
  draft: PolicyDraft;
  onDraft: (change: Partial<PolicyDraft>) => void;
  errors: FormErrors;
  /** Whether there is a schedule: some questions make no sense without. */
  scheduled: boolean;
}

const OVERLAPS = [
  { value: "skip", label: "is skipped" },
  { value: "queue_one", label: "waits, if none waits yet" },
  { value: "queue_all", label: "waits" },
  { value: "cancel_running", label: "waits, and the older one is cancelled" },
  { value: "allow", label: "runs beside it" },
];
const CATCH_UPS = [
  { value: "last", label: "the last one runs" },
  { value: "all", label: "all of them run, in order" },
  { value: "first", label: "the first one runs" },
  { value: "none", label: "none runs" },
];
const LIMITS = ["timeout", "start_within", "grace", "overlap", "max_instances", "catch_up", "catch_up_window"];

export function PolicyFields({ draft, onDraft, errors, scheduled }: PolicyProps) {
  const wrong = (names: string[]) => names.some((name) => errors.under(name) !== undefined);
  return (
    <div className="space-y-2">
      <Fold title="Retries" summary={retrySummary(draft)} needed={wrong(["retry"])}>
        <RetryFields draft={draft} onDraft={onDraft} errors={errors} />
      </Fold>
      <Fold title="Time limits and overlap" summary={limitSummary(draft, scheduled)} needed={wrong(LIMITS)}>
        <div className="grid gap-3 sm:grid-cols-2">
          <NumberField
            label="An attempt takes at most (seconds)"
            placeholder="300"
            value={draft.timeout}
            onValue={(timeout) => onDraft({ timeout })}
            error={errors.at("timeout")}
          />
          <NumberField
            label="Must start within (seconds)"
            hint="A run that no worker starts in time fails as expired."
            placeholder="no limit"
            value={draft.startWithin}
            onValue={(startWithin) => onDraft({ startWithin })}
            error={errors.at("start_within")}
          />
          <NumberField
            label="Grace (seconds)"
            hint="Between asking an attempt to stop and killing it."
            placeholder="as the worker says"
            value={draft.grace}
            onValue={(grace) => onDraft({ grace })}
            error={errors.at("grace")}
          />
          {draft.unlimited ? null : (
            <NumberField
              label="Runs at a time"
              hint="How many may be under way."
              placeholder={scheduled ? "1" : "no limit"}
              value={draft.maxInstances}
              onValue={(maxInstances) => onDraft({ maxInstances })}
              error={errors.at("max_instances")}
            />
          )}
          <CheckField
            label="Any number of runs at a time"
            checked={draft.unlimited}
            onChecked={(unlimited) => onDraft({ unlimited })}
          />
          {scheduled ? (
            <CheckField
              label="Keep a one-time job when it is over"
              checked={draft.keep}
              onChecked={(keep) => onDraft({ keep })}
            />
          ) : null}
          {scheduled ? (
            <>
              <Field label="An occurrence that finds it busy" error={errors.at("overlap")}>
                <Select
                  className="w-full"
                  choices={OVERLAPS}
                  value={draft.overlap}
                  onValue={(overlap) => onDraft({ overlap })}
                />
              </Field>
              <Field label="Of those missed in an outage or pause" error={errors.at("catch_up")}>
                <Select
                  className="w-full"
                  choices={CATCH_UPS}
                  value={draft.catchUp}
                  onValue={(catchUp) => onDraft({ catchUp })}
                />
              </Field>
              {draft.catchUp === "none" ? null : (
                <NumberField
                  label="as far back as (seconds)"
                  placeholder="86400"
                  value={draft.catchUpWindow}
                  onValue={(catchUpWindow) => onDraft({ catchUpWindow })}
                  error={errors.at("catch_up_window")}
                />
              )}
            </>
          ) : null}
        </div>
      </Fold>
      <QueueFields draft={draft} onDraft={onDraft} errors={errors} />
    </div>
  );
}

function QueueFields({ draft, onDraft, errors }: Omit<PolicyProps, "scheduled">) {
  const queues = useQueueNames();
  return (
    <Fold
      title="Queue and priority"
      summary={`${draft.queue || "default"}${draft.priority ? ` · priority ${draft.priority}` : ""}`}
      needed={["queue", "priority"].some((name) => errors.at(name) !== undefined)}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Queue"
          optional
          hint="Workers serve all queues, or those that they name."
          error={errors.at("queue")}
        >
          <Input
            list="queues"
            placeholder="default"
            value={draft.queue}
            onChange={(event) => onDraft({ queue: event.target.value })}
            autoComplete="off"
          />
        </Field>
        <datalist id="queues">
          {queues.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <NumberField
          label="Priority"
          hint="0 to 9; of what is due, 9 starts first."
          placeholder="5"
          value={draft.priority}
          onValue={(priority) => onDraft({ priority })}
          error={errors.at("priority")}
        />
      </div>
    </Fold>
  );
}

function limitSummary(draft: PolicyDraft, scheduled: boolean): string {
  const words = [`${draft.timeout ? seconds(Number(draft.timeout) || 0) : "5 min"} an attempt`];
  if (draft.unlimited || draft.overlap === "allow") words.push("any number at a time");
  else if (draft.maxInstances || scheduled) words.push(`${draft.maxInstances || "1"} at a time`);
  if (scheduled && draft.catchUp !== "last") words.push(`catches up ${draft.catchUp}`);
  return words.join(" · ");
}
