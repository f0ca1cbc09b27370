import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { InstantInput } from "@/components/ui/instant-input";
import { RemoveRow } from "@/components/ui/row-buttons";
import { DAYS } from "../model/cron";
import type { BlackoutDraft } from "../model/schedule";
import { DayChips } from "./day-chips";

interface BlackoutFieldsProps {
  rows: BlackoutDraft[];
  zone: string;
  onRows: (rows: BlackoutDraft[]) => void;
}

/** Hours of each week, or stretches of time, in which nothing starts. */
export function BlackoutFields({ rows, zone, onRows }: BlackoutFieldsProps) {
  const change = (at: number, patch: Partial<BlackoutDraft>) =>
    onRows(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <div className="space-y-2">
      {rows.map((row, index) => (
        <div key={`blackout ${index + 1}`} className="flex flex-wrap items-center gap-1.5 rounded-md bg-sunken p-2">
          {row.kind === "weekly" ? (
            <DayChips
              label={`Days of blackout ${index + 1}`}
              days={DAYS}
              chosen={row.days}
              onChosen={(days) => change(index, { days })}
            />
          ) : null}
          <End row={row} which="start" index={index} zone={zone} onChange={change} />
          <span aria-hidden>–</span>
          <End row={row} which="end" index={index} zone={zone} onChange={change} />
          <RemoveRow label={`blackout ${index + 1}`} onRemove={() => onRows(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      <Button
        size="sm"
        variant="ghost"
        onClick={() => onRows([...rows, { kind: "weekly", days: ["SAT", "SUN"], start: "00:00", end: "06:00" }])}
      >
        <Plus /> Add weekly window
      </Button>
      <Button
        size="sm"
        variant="ghost"
        onClick={() => onRows([...rows, { kind: "range", days: [], start: "", end: "" }])}
      >
        <Plus /> Add dates
      </Button>
    </div>
  );
}

interface EndProps {
  row: BlackoutDraft;
  which: "start" | "end";
  index: number;
  zone: string;
  onChange: (at: number, patch: Partial<BlackoutDraft>) => void;
}

function End({ row, which, index, zone, onChange }: EndProps) {
  const label = `${which === "start" ? "Start" : "End"} of blackout ${index + 1}`;
  return row.kind === "weekly" ? (
    <Input
      type="time"
      aria-label={label}
      className="w-32"
      value={row[which].slice(0, 5)}
      onChange={(event) => onChange(index, { [which]: event.target.value })}
    />
  ) : (
    <InstantInput
      aria-label={label}
      className="w-52"
      value={row[which]}
      zone={zone}
      onValue={(value) => onChange(index, { [which]: value })}
    />
  );
}
