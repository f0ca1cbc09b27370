import { Field } from "@/components/ui/field";
import { Group } from "@/components/ui/group";
import { Input } from "@/components/ui/input";
import { AddRow, RemoveRow } from "@/components/ui/row-buttons";
import { Select } from "@/components/ui/select";
import { ZoneSelect } from "@/components/ui/zone-select";
import type { DraftProps } from "@/features/job-form/draft-props";
import { DAYS } from "@/features/job-form/model/cron";
import { DayChips } from "@/features/job-form/schedule/day-chips";
import type { ChannelDraft, WindowDraft } from "./model";

const ALLOWED = [
  { value: "critical", label: "Critical" },
  { value: "warning", label: "Warning and critical" },
  { value: "", label: "Nothing" },
];

/** When messages wait, and which do not. */
export function QuietFields({ draft, onDraft, errors }: DraftProps<ChannelDraft>) {
  const { windows } = draft;
  const change = (at: number, patch: Partial<WindowDraft>) =>
    onDraft({ windows: windows.map((row, index) => (index === at ? { ...row, ...patch } : row)) });
  return (
    <Group
      label="Quiet hours"
      optional
      hint="Messages wait for the end of the window and arrive as one digest."
      error={errors.under("quiet")}
    >
      <div className="space-y-2 pt-1">
        {windows.map((row, index) => (
          <div key={`window ${index + 1}`} className="flex flex-wrap items-center gap-1.5 rounded-md bg-sunken p-2">
            <DayChips
              label={`Days of window ${index + 1}`}
              days={DAYS}
              chosen={row.days}
              onChosen={(days) => change(index, { days })}
            />
            <Input
              type="time"
              aria-label={`Start of window ${index + 1}`}
              className="w-32"
              value={row.start.slice(0, 5)}
              onChange={(event) => change(index, { start: event.target.value })}
            />
            <span aria-hidden>–</span>
            <Input
              type="time"
              aria-label={`End of window ${index + 1}`}
              className="w-32"
              value={row.end.slice(0, 5)}
              onChange={(event) => change(index, { end: event.target.value })}
            />
            <RemoveRow
              label={`window ${index + 1}`}
              onRemove={() => onDraft({ windows: windows.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        <AddRow
          noun="quiet hours"
          onAdd={() => onDraft({ windows: [...windows, { days: DAYS, start: "22:00", end: "07:00" }] })}
        />
        {windows.length > 0 ? (
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label="Time zone" error={errors.at("quiet.timezone")}>
              <ZoneSelect className="block" value={draft.timezone} onValue={(timezone) => onDraft({ timezone })} />
            </Field>
            <Field label="Let through" error={errors.at("quiet.allow")}>
              <Select className="block" choices={ALLOWED} value={draft.allow} onValue={(allow) => onDraft({ allow })} />
            </Field>
          </div>
        ) : null}
      </div>
    </Group>
  );
}
