import { X } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { PERIODS } from "./periods";

export const DEFAULTS = {
  job: "",
  status: "",
  trigger: "",
  worker: "",
  period: "",
  since: "",
  until: "",
  sort: "-created_at",
  cursor: "",
};
export type Filters = typeof DEFAULTS;
type Change = Partial<Record<keyof Filters, string | null>>;

const STATUSES = [
  { value: "", label: "Any status" },
  ...["queued", "running", "succeeded", "failed", "cancelled", "skipped"].map((value) => ({ value, label: value })),
];
const TRIGGERS = [
  { value: "", label: "Any trigger" },
  ...["schedule", "manual", "api", "retry", "backfill", "after"].map((value) => ({ value, label: value })),
];
const ORDERS = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
];
const NARROWING = ["job", "status", "trigger", "worker", "period", "since", "until"] as const;

export function isNarrowed(filters: Filters): boolean {
  return NARROWING.some((name) => filters[name] !== "");
}

interface RunFiltersProps {
  filters: Filters;
  /** The name behind the id in `job`, once it is known. */
  jobName: string | undefined;
  onChange: (change: Change) => void;
}

export function RunFilters({ filters, jobName, onChange }: RunFiltersProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Select
        aria-label="Status"
        choices={STATUSES}
        value={filters.status}
        onValue={(status) => onChange({ status })}
      />
      <Select
        aria-label="Trigger"
        choices={TRIGGERS}
        value={filters.trigger}
        onValue={(trigger) => onChange({ trigger })}
      />
      <Select
        aria-label="Time"
        choices={PERIODS}
        value={filters.period}
        onValue={(period) => onChange({ period, since: null, until: null })}
      />
      <Select aria-label="Order" choices={ORDERS} value={filters.sort} onValue={(sort) => onChange({ sort })} />
      <Chip name="job" value={filters.job && (jobName ?? filters.job)} onRemove={() => onChange({ job: null })} />
      <Chip name="worker" value={filters.worker} onRemove={() => onChange({ worker: null })} />
      <Chip name="since" value={filters.since} onRemove={() => onChange({ since: null })} />
      <Chip name="until" value={filters.until} onRemove={() => onChange({ until: null })} />
      {isNarrowed(filters) ? (
        <Button variant="ghost" onClick={() => onChange(Object.fromEntries(NARROWING.map((name) => [name, null])))}>
          Clear
        </Button>
      ) : null}
    </div>
  );
}

function Chip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  if (!value) return null;
  return (
    <Badge tone="accent" className="h-8 max-w-64 gap-1 pl-2">
      <span className="truncate">
        {name}: {value}
      </span>
      <Button variant="ghost" size="icon-sm" aria-label={`Without ${name}`} onClick={onRemove}>
        <X />
      </Button>
    </Badge>
  );
}
