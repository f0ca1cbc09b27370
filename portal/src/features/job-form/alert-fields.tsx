import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Input } from "@/components/ui/input";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "./draft-props";
import { type AlertDraft, alertSummary } from "./model/alert";
import { textBinding } from "./text-binding";

/** When the job is in trouble, beyond the rules that hold for all jobs. */
export function AlertFields(props: DraftProps<AlertDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  return (
    <Fold title="Alerts" summary={alertSummary(draft)} needed={errors.under("alert") !== undefined}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          {...text("failing", "alert.failing")}
          label="Failures in a row"
          hint="0 turns this rule off."
          inputMode="numeric"
          placeholder="project default"
        />
        <TextField
          {...text("late", "alert.late")}
          label="Late by"
          hint="Due for this long and not started. 0 turns this rule off."
          placeholder="project default, or 10m"
        />
        <TextField {...text("longerThan", "alert.longer_than")} label="Runs longer than" optional placeholder="2h" />
        <TextField
          {...text("shorterThan", "alert.shorter_than")}
          label="Succeeds in less than"
          optional
          hint="It may have done nothing."
          placeholder="1m"
        />
        <Field label="Not done by" optional hint="In the schedule's time zone." error={errors.at("alert.done_by")}>
          <Input
            type="time"
            value={draft.doneBy}
            onChange={(event) => onDraft({ doneBy: event.target.value.slice(0, 5) })}
          />
        </Field>
        <TextField
          {...text("noSuccessFor", "alert.no_success_for")}
          label="No success for"
          optional
          placeholder="26h"
        />
        <TextField
          {...text("budgetFailures", "alert.failure_budget.failures")}
          label="Failure budget"
          optional
          hint="This many failed runs …"
          error={errors.at("alert.failure_budget.failures") ?? errors.at("alert.failure_budget")}
          inputMode="numeric"
          placeholder="5"
        />
        <TextField
          {...text("budgetWithin", "alert.failure_budget.within")}
          label="Budget period"
          optional
          hint="… within this period, by whole hours."
          placeholder="24h"
        />
        <CheckField
          label="Missed runs"
          hint="A run was skipped because it was not started in time."
          checked={draft.missed}
          onChecked={(missed) => onDraft({ missed })}
        />
      </div>
    </Fold>
  );
}
