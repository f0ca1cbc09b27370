import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ScheduleDraft } from "../model/schedule";
import { useJobNames } from "../queries";

const ENDS = [
  { value: "success", label: "succeeds" },
  { value: "failure", label: "fails" },
  { value: "any", label: "ends either way" },
];

export function AfterFields({ draft, onDraft, errors }: DraftProps<ScheduleDraft>) {
  const names = useJobNames(draft.afterJob);
  return (
    <div className="flex flex-wrap gap-3">
      <TextField
        label="Run after"
        hint="Start typing a job name."
        error={errors.at("schedule.after.job") ?? errors.at("schedule.after") ?? errors.at("schedule")}
        className="min-w-56 flex-1"
        list="jobs"
        value={draft.afterJob}
        autoComplete="off"
        onValue={(afterJob) => onDraft({ afterJob })}
      />
      <datalist id="jobs">
        {(names.data ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="When it" error={errors.at("schedule.after.on")}>
        <Select choices={ENDS} value={draft.afterOn} onValue={(afterOn) => onDraft({ afterOn })} />
      </Field>
    </div>
  );
}
