import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { SearchInput } from "@/components/ui/search-input";
import { Segments } from "@/components/ui/segments";
import { ZoneSelect } from "@/components/ui/zone-select";
import { addDays } from "./buckets";
import type { State, View } from "./view";

type Change = Partial<Record<keyof State, string | null>>;

interface CalendarFiltersProps {
  state: State;
  view: View;
  onChange: (change: Change) => void;
}

const VIEWS = [
  { value: "week", label: "Week" },
  { value: "day", label: "Day" },
];

export function CalendarFilters({ state, view, onChange }: CalendarFiltersProps) {
  const first = view.days[0] ?? "";
  const go = (days: number) => onChange({ day: addDays(first, days), hour: null });
  const length = view.days.length;
  const narrowed = state.tag !== "" || state.queue !== "" || state.q !== "";
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Segments
        label="View"
        choices={VIEWS}
        value={view.week ? "week" : "day"}
        onValue={(next) => onChange({ view: next, hour: null })}
      />
      <span className="flex items-center gap-0.5">
        <Button
          variant="ghost"
          size="icon"
          aria-label={view.week ? "A week earlier" : "A day earlier"}
          onClick={() => go(-length)}
        >
          <ChevronLeft />
        </Button>
        <Input
          type="date"
          aria-label="First day"
          className="w-36"
          value={first}
          onChange={(event) => onChange({ day: event.target.value, hour: null })}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={view.week ? "A week later" : "A day later"}
          onClick={() => go(length)}
        >
          <ChevronRight />
        </Button>
        <Button variant="ghost" disabled={state.day === ""} onClick={() => onChange({ day: null, hour: null })}>
          Today
        </Button>
      </span>
      <ZoneSelect
        aria-label="Time zone"
        className="w-40 sm:w-56"
        value={view.zone}
        onValue={(zone) => onChange({ zone, hour: null })}
      />
      <SearchInput label="Job" value={state.q} onValue={(q) => onChange({ q })} className="w-32" />
      {(["tag", "queue"] as const).map((name) => (
        <SearchInput
          key={name}
          label={name === "tag" ? "Tag" : "Queue"}
          value={state[name]}
          onValue={(value) => onChange({ [name]: value })}
          className="w-28"
        />
      ))}
      {narrowed ? (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Clear filters"
          onClick={() => onChange({ tag: null, queue: null, q: null })}
        >
          <X />
        </Button>
      ) : null}
    </div>
  );
}
