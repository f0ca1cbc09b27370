import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { InstantInput } from "@/components/ui/instant-input";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ScheduleDraft } from "../model/schedule";
import { textBinding } from "../text-binding";
import { BlackoutFields } from "./blackout-fields";
import { ZoneInput } from "./zone-input";

const GAPS = [
  { value: "run_after", label: "Run right after" },
  { value: "skip", label: "Skip" },
];
const FOLDS = [
  { value: "first", label: "Run the first time" },
  { value: "second", label: "Run the second time" },
  { value: "both", label: "Run both times" },
];
const OPTIONS = ["start_at", "end_at", "max_runs", "jitter", "blackouts", "dst_gap", "dst_fold"];

interface ScheduleOptionsProps extends DraftProps<ScheduleDraft> {
  foreign: boolean;
}

export function ScheduleOptions(props: ScheduleOptionsProps) {
  const { draft, onDraft, errors, foreign } = props;
  const text = textBinding(props);
  const timed = draft.kind !== "after" && !foreign;
  const zoned = draft.kind === "cron" || draft.kind === "at";
  return (
    <Fold
      title={foreign ? "Start, end, blackouts" : "Start, end, jitter, blackouts"}
      summary={summary(draft)}
      needed={OPTIONS.some((name) => errors.under(`schedule.${name}`) !== undefined)}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={draft.kind === "every" ? "First at" : "Not before"}
          optional
          error={errors.at("schedule.start_at")}
        >
          <InstantInput value={draft.startAt} zone={draft.timezone} onValue={(startAt) => onDraft({ startAt })} />
        </Field>
        <Field label="Not after" optional error={errors.at("schedule.end_at")}>
          <InstantInput value={draft.endAt} zone={draft.timezone} onValue={(endAt) => onDraft({ endAt })} />
        </Field>
        {timed ? (
          <TextField
            {...text("maxRuns", "schedule.max_runs")}
            label="Maximum runs"
            optional
            hint="The job finishes after that many."
            inputMode="numeric"
            placeholder="no limit"
          />
        ) : null}
        {foreign ? null : (
          <TextField
            {...text("jitter", "schedule.jitter")}
            label="Jitter (seconds)"
            optional
            hint="Spreads start times by a stable offset."
            inputMode="numeric"
            placeholder="0"
          />
        )}
        {draft.kind === "cron" ? (
          <>
            <Field label="When clocks go forward" error={errors.at("schedule.dst_gap")}>
              <Select
                className="w-full"
                choices={GAPS}
                value={draft.dstGap}
                onValue={(dstGap) => onDraft({ dstGap })}
              />
            </Field>
            <Field label="When clocks go back" error={errors.at("schedule.dst_fold")}>
              <Select
                className="w-full"
                choices={FOLDS}
                value={draft.dstFold}
                onValue={(dstFold) => onDraft({ dstFold })}
              />
            </Field>
          </>
        ) : null}
        {zoned ? null : (
          <ZoneInput value={draft.timezone} onValue={(timezone) => onDraft({ timezone })} errors={errors} />
        )}
      </div>
      <Group
        label="Blackouts"
        optional
        hint={foreign ? "Nothing is expected then." : "Occurrences inside are skipped and recorded as such."}
        error={errors.under("schedule.blackouts")}
      >
        <BlackoutFields rows={draft.blackouts} zone={draft.timezone} onRows={(blackouts) => onDraft({ blackouts })} />
      </Group>
    </Fold>
  );
}

function summary(draft: ScheduleDraft): string {
  const words = [
    draft.startAt && "start set",
    draft.endAt && "end set",
    draft.kind !== "after" && draft.maxRuns && `at most ${draft.maxRuns} runs`,
    draft.jitter && `jitter ${draft.jitter} s`,
    draft.blackouts.length > 0 && `${draft.blackouts.length} blackout${draft.blackouts.length === 1 ? "" : "s"}`,
  ].filter(Boolean);
  return words.length > 0 ? words.join(" · ") : "none";
}
