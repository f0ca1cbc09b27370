import { CalendarClock, CornerDownRight, Hand, Repeat, Timer } from "lucide-react";
import { Field } from "@/components/ui/field";
import { InstantInput } from "@/components/ui/instant-input";
import { OptionCards } from "@/components/ui/option-cards";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ScheduleDraft, ScheduleKind } from "../model/schedule";
import { textBinding } from "../text-binding";
import { AfterFields } from "./after-fields";
import { CronFields } from "./cron-fields";
import { ScheduleOptions } from "./schedule-options";
import { ZoneInput } from "./zone-input";

const KINDS = [
  { value: "cron", label: "Cron", hint: "At set times", icon: CalendarClock },
  { value: "every", label: "Interval", hint: "Every 15 minutes", icon: Repeat },
  { value: "at", label: "Once", hint: "At a given time", icon: Timer },
  { value: "after", label: "After a job", hint: "When another job ends", icon: CornerDownRight },
  { value: "manual", label: "Manual", hint: "Only when triggered", icon: Hand },
];
const FOREIGN = [
  ...KINDS.filter(({ value }) => value !== "after" && value !== "manual"),
  { value: "manual", label: "None", hint: "At no set time", icon: Hand },
];
const INTERVALS = ["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"];

interface ScheduleFieldsProps extends DraftProps<ScheduleDraft> {
  /** Horae does not start it, but expects its signals. */
  foreign?: boolean;
}

export function ScheduleFields({ draft, onDraft, errors, foreign = false }: ScheduleFieldsProps) {
  return (
    <div className="space-y-4">
      <OptionCards
        label="Kind of schedule"
        options={foreign ? FOREIGN : KINDS}
        value={draft.kind}
        onValue={(kind) => onDraft({ kind: kind as ScheduleKind })}
        className={foreign ? "grid-cols-2" : "grid-cols-2 sm:grid-cols-3 xl:grid-cols-5"}
      />
      <Main draft={draft} onDraft={onDraft} errors={errors} foreign={foreign} />
      {draft.kind === "manual" ? null : (
        <ScheduleOptions draft={draft} onDraft={onDraft} errors={errors} foreign={foreign} />
      )}
    </div>
  );
}

function Main(props: ScheduleFieldsProps) {
  const { draft, onDraft, errors, foreign } = props;
  const text = textBinding(props);
  switch (draft.kind) {
    case "cron":
      return <CronFields draft={draft} onDraft={onDraft} errors={errors} />;
    case "every":
      return (
        <>
          <Suggestions />
          <TextField
            {...text("every", "schedule.every")}
            label="Every"
            hint="15m, 1h30m, 90s, 1d, or ISO 8601 such as PT1H30M. From 1 second to 10 years."
            className="max-w-64"
            list="intervals"
            autoComplete="off"
          />
        </>
      );
    case "at":
      return (
        <div className="flex flex-wrap gap-3">
          <Field label="When" error={errors.at("schedule.at")}>
            <InstantInput value={draft.at} zone={draft.timezone} onValue={(at) => onDraft({ at })} />
          </Field>
          <ZoneInput value={draft.timezone} onValue={(timezone) => onDraft({ timezone })} errors={errors} />
        </div>
      );
    case "after":
      return <AfterFields draft={draft} onDraft={onDraft} errors={errors} />;
    case "manual":
      return foreign ? (
        <p className="text-sm text-muted">Nothing is expected: only failures and runs that take too long count.</p>
      ) : (
        <p className="text-sm text-muted">
          Runs only when triggered, with “Run now” or through the API:{" "}
          <code className="font-mono text-xs">POST /api/v1/jobs/…/run</code>.
        </p>
      );
  }
}

function Suggestions() {
  return (
    <datalist id="intervals">
      {INTERVALS.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
