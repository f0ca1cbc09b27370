import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import type { DraftProps } from "../draft-props";
import { cronOf, DAYS, type Rhythm, SIMPLE, type SimpleCron, simpleOf } from "../model/cron";
import type { ScheduleDraft } from "../model/schedule";
import { DayChips } from "./day-chips";
import { ZoneInput } from "./zone-input";

const RHYTHMS = [
  { value: "minutes", label: "Every few minutes" },
  { value: "hourly", label: "Every hour" },
  { value: "daily", label: "Every day" },
  { value: "weekly", label: "On days of the week" },
  { value: "monthly", label: "On a day of the month" },
];
const OTHER = { value: "", label: "Custom" };
const STEPS = ["1", "2", "5", "10", "15", "20", "30"];
const MONTH_DAYS = [
  ...Array.from({ length: 31 }, (_, index) => ({ value: String(index + 1), label: `${index + 1}.` })),
  { value: "L", label: "the last" },
];

/** An expression, and helpers that write it. */
export function CronFields({ draft, onDraft, errors }: DraftProps<ScheduleDraft>) {
  const simple = simpleOf(draft.cron);
  const set = (next: SimpleCron) => onDraft({ cron: cronOf(next) });
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Repeats">
          <Select
            choices={simple ? RHYTHMS : [OTHER, ...RHYTHMS]}
            value={simple?.rhythm ?? ""}
            onValue={(rhythm) => {
              if (rhythm)
                set({
                  ...SIMPLE[rhythm as Rhythm],
                  ...(simple && timed(rhythm) && timed(simple.rhythm)
                    ? { hour: simple.hour, minute: simple.minute }
                    : {}),
                });
            }}
          />
        </Field>
        {simple ? <Helpers simple={simple} onSimple={set} /> : null}
      </div>
      <div className="flex flex-wrap gap-3">
        <Field
          label="Cron expression"
          hint="Minute, hour, day, month, weekday; a sixth field in front is seconds. L, MON#1 and @daily work too."
          error={errors.under("schedule.cron")}
          className="min-w-56 flex-1"
        >
          <Input
            className="font-mono"
            value={draft.cron}
            onChange={(event) => onDraft({ cron: event.target.value })}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        <ZoneInput value={draft.timezone} onValue={(timezone) => onDraft({ timezone })} errors={errors} />
      </div>
    </div>
  );
}

const timed = (rhythm: string): boolean => ["daily", "weekly", "monthly"].includes(rhythm);

interface HelpersProps {
  simple: SimpleCron;
  onSimple: (simple: SimpleCron) => void;
}

function Helpers({ simple, onSimple }: HelpersProps) {
  const steps = [...new Set([...STEPS, String(simple.minute)])].map((value) => ({ value, label: `${value} min` }));
  return (
    <>
      {simple.rhythm === "minutes" ? (
        <Field label="Every">
          <Select
            choices={steps}
            value={String(simple.minute)}
            onValue={(minute) => onSimple({ ...simple, minute: Number(minute) })}
          />
        </Field>
      ) : null}
      {simple.rhythm === "hourly" ? (
        <Field label="At minute" className="w-24">
          <Input
            type="number"
            min={0}
            max={59}
            value={simple.minute}
            onChange={(event) => onSimple({ ...simple, minute: clamped(event.target.value) })}
          />
        </Field>
      ) : null}
      {simple.rhythm === "monthly" ? (
        <Field label="Day">
          <Select choices={MONTH_DAYS} value={simple.day} onValue={(day) => onSimple({ ...simple, day })} />
        </Field>
      ) : null}
      {timed(simple.rhythm) ? (
        <Field label="At" className="w-32">
          <Input
            type="time"
            value={`${two(simple.hour)}:${two(simple.minute)}`}
            onChange={(event) => {
              const [hour, minute] = event.target.value.split(":").map(Number);
              if (hour !== undefined && minute !== undefined && !Number.isNaN(hour))
                onSimple({ ...simple, hour, minute });
            }}
          />
        </Field>
      ) : null}
      {simple.rhythm === "weekly" ? (
        <DayChips
          label="Days"
          days={DAYS}
          chosen={simple.days}
          onChosen={(days) => (days.length > 0 ? onSimple({ ...simple, days }) : undefined)}
        />
      ) : null}
    </>
  );
}

const two = (value: number): string => String(value).padStart(2, "0");
const clamped = (value: string): number => Math.min(59, Math.max(0, Math.floor(Number(value) || 0)));
