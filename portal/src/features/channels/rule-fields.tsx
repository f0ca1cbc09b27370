import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Group } from "@/components/ui/group";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "@/features/job-form/draft-props";
import { textBinding } from "@/features/job-form/text-binding";
import { type ChannelDraft, type ChannelEvent, EVENTS } from "./model";
import { QuietFields } from "./quiet-fields";

const LEVELS = [
  { value: "info", label: "Everything" },
  { value: "warning", label: "Warning and above" },
  { value: "critical", label: "Critical only" },
];

const EVENT_LABELS: Record<ChannelEvent, [label: string, hint: string]> = {
  failure: ["Failures", "A run failed after its last attempt."],
  dead_letter: ["New dead letters", "Only the first failure of a cause: quieter for jobs that fail often."],
  recovery: ["Recoveries", "The first success after failures."],
  alert: ["Alerts", "An alert opened or cleared."],
  budget: ["Failure budgets", "A job has used up its failure budget."],
};

/** Which messages a channel gets, and how many. */
export function RuleFields(props: DraftProps<ChannelDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  const toggle = (event: ChannelEvent, on: boolean) =>
    onDraft({ events: EVENTS.filter((one) => (one === event ? on : draft.events.includes(one))) });
  return (
    <>
      <Group label="Events" error={errors.under("events")}>
        <div className="space-y-2 pt-1">
          {EVENTS.map((event) => (
            <CheckField
              key={event}
              label={EVENT_LABELS[event][0]}
              hint={EVENT_LABELS[event][1]}
              checked={draft.events.includes(event)}
              onChecked={(on) => toggle(event, on)}
            />
          ))}
        </div>
      </Group>
      <Field label="Severity" error={errors.at("severity")}>
        <Select
          className="block w-56"
          choices={LEVELS}
          value={draft.severity}
          onValue={(severity) => onDraft({ severity })}
        />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          {...text("tags", "tags")}
          label="Tags"
          optional
          hint="Only jobs with one of these."
          placeholder="finance, etl"
        />
        <TextField
          {...text("jobs", "jobs")}
          label="Jobs"
          optional
          hint="Only these; * matches any characters."
          placeholder="sync-*, nightly-report"
        />
      </div>
      <CheckField
        label="Only jobs that name this channel"
        hint="In their Notify field."
        checked={draft.namedOnly}
        onChecked={(namedOnly) => onDraft({ namedOnly })}
      />
      <QuietFields draft={draft} onDraft={onDraft} errors={errors} />
      <div className="grid gap-3 sm:grid-cols-3">
        {draft.kind === "pagerduty" || draft.kind === "opsgenie" ? null : (
          <TextField
            {...text("digest", "digest")}
            label="Digest"
            hint="Collect for this long; 0 sends at once."
            placeholder="0"
          />
        )}
        <TextField
          {...text("repeatAfter", "repeat_after")}
          label="Repeat after"
          hint="The same failure is sent again."
          placeholder="1h"
        />
        <TextField
          {...text("perHour", "per_hour")}
          label="Messages per hour"
          hint="Beyond that, one digest."
          inputMode="numeric"
          placeholder="60"
        />
      </div>
    </>
  );
}
