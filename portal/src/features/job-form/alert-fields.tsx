import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Input } from "@/components/ui/input";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "./draft-props";
import { type AlertDraft, alertSummary } from "./model/alert";

/** When the job is in trouble, beyond the rules that hold for all jobs. */
export function AlertFields({ draft, onDraft, errors }: DraftProps<AlertDraft>) {
  return (
    <Fold title="Alerts" summary={alertSummary(draft)} needed={errors.under("alert") !== undefined}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Failures in a row"
          hint="0 turns this rule off."
          error={errors.at("alert.failing")}
          value={draft.failing}
          inputMode="numeric"
          placeholder="project default"
          onValue={(failing) => onDraft({ failing })}
        />
        <TextField
          label="Late by"
          hint="Due for so long and not started. 0 turns this rule off."
          error={errors.at("alert.late")}
          value={draft.late}
          placeholder="project default, or 10m"
          onValue={(late) => onDraft({ late })}
        />
        <TextField
          label="Runs longer than"
          optional
          error={errors.at("alert.longer_than")}
          value={draft.longerThan}
          placeholder="2h"
          onValue={(longerThan) => onDraft({ longerThan })}
        />
        <TextField
          label="Succeeds in less than"
          optional
          hint="It may have done nothing."
          error={errors.at("alert.shorter_than")}
          value={draft.shorterThan}
          placeholder="1m"
          onValue={(shorterThan) => onDraft({ shorterThan })}
        />
        <Field label="Not done by" optional hint="In the schedule's time zone." error={errors.at("alert.done_by")}>
          <Input
            type="time"
            value={draft.doneBy}
            onChange={(event) => onDraft({ doneBy: event.target.value.slice(0, 5) })}
          />
        </Field>
        <TextField
          label="No success for"
          optional
          error={errors.at("alert.no_success_for")}
          value={draft.noSuccessFor}
          placeholder="26h"
          onValue={(noSuccessFor) => onDraft({ noSuccessFor })}
        />
        <TextField
          label="Failure budget"
          optional
          hint="So many failed runs …"
          error={errors.at("alert.failure_budget.failures") ?? errors.at("alert.failure_budget")}
          value={draft.budgetFailures}
          inputMode="numeric"
          placeholder="5"
          onValue={(budgetFailures) => onDraft({ budgetFailures })}
        />
        <TextField
          label="Budget period"
          optional
          hint="… within so long, by whole hours."
          error={errors.at("alert.failure_budget.within")}
          value={draft.budgetWithin}
          placeholder="24h"
          onValue={(budgetWithin) => onDraft({ budgetWithin })}
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
