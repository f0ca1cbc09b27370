import { X } from "lucide-react";
import { TARGET_KINDS } from "@/api/kinds";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { ClearFilters } from "@/components/ui/clear-filters";
import { SearchInput } from "@/components/ui/search-input";
import { Select } from "@/components/ui/select";

export const DEFAULTS = {
  q: "",
  status: "",
  last_status: "",
  kind: "",
  schedule: "",
  recurring: "",
  tag: "",
  queue: "",
  sort: "name",
  cursor: "",
};
export type Filters = typeof DEFAULTS;
type Change = Partial<Record<keyof Filters, string | null>>;

const any = (label: string) => ({ value: "", label });
const STATUSES = [
  any("Any status"),
  ...["scheduled", "running", "paused", "disabled", "finished"].map((value) => ({ value, label: value })),
];
const LAST = [
  any("Any last run"),
  { value: "failed", label: "Last failed" },
  { value: "succeeded", label: "Last succeeded" },
  { value: "cancelled", label: "Last cancelled" },
];
const KINDS = [any("Any target"), ...TARGET_KINDS.map((value) => ({ value, label: value }))];
const SCHEDULES = [
  any("Any schedule"),
  { value: "recurring", label: "recurring" },
  { value: "cron", label: "cron" },
  { value: "every", label: "interval" },
  { value: "at", label: "once" },
  { value: "manual", label: "manual" },
  { value: "after", label: "after a job" },
];

const NARROWING = ["q", "status", "last_status", "kind", "schedule", "recurring", "tag", "queue"] as const;

interface JobFiltersProps {
  filters: Filters;
  onChange: (change: Change) => void;
}

export function JobFilters({ filters, onChange }: JobFiltersProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Search jobs by name"
        value={filters.q}
        onValue={(q) => onChange({ q })}
        className="w-full sm:w-64"
      />
      <Select
        aria-label="Status"
        choices={STATUSES}
        value={filters.status}
        onValue={(status) => onChange({ status })}
      />
      <Select
        aria-label="Last run"
        choices={LAST}
        value={filters.last_status}
        onValue={(last_status) => onChange({ last_status })}
      />
      <Select aria-label="Target" choices={KINDS} value={filters.kind} onValue={(kind) => onChange({ kind })} />
      <Select
        aria-label="Schedule"
        choices={SCHEDULES}
        value={filters.recurring === "true" ? "recurring" : filters.schedule}
        onValue={(value) =>
          onChange(value === "recurring" ? { recurring: "true", schedule: null } : { schedule: value, recurring: null })
        }
      />
      {(["tag", "queue"] as const).map((name) =>
        filters[name] ? (
          <Badge key={name} tone="accent" className="h-8 gap-1 pl-2">
            {name}: {filters[name]}
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={`Without ${name}`}
              onClick={() => onChange({ [name]: null })}
            >
              <X />
            </Button>
          </Badge>
        ) : null,
      )}
      <ClearFilters filters={filters} names={NARROWING} onChange={onChange} />
    </div>
  );
}
