import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { useJobNames } from "../queries";
import type { ScheduleProps } from "./schedule-fields";

const ENDS = [
  { value: "success", label: "succeeds" },
  { value: "failure", label: "fails" },
  { value: "any", label: "ends either way" },
];

export function AfterFields({ draft, onDraft, errors }: ScheduleProps) {
  const names = useJobNames(draft.afterJob);
  return (
    <div className="flex flex-wrap gap-3">
      <Field
        label="Run after"
        hint="Start typing a job name."
        error={errors.at("schedule.after.job") ?? errors.at("schedule.after") ?? errors.at("schedule")}
        className="min-w-56 flex-1"
      >
        <Input
          list="jobs"
          value={draft.afterJob}
          onChange={(event) => onDraft({ afterJob: event.target.value })}
          autoComplete="off"
        />
      </Field>
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
