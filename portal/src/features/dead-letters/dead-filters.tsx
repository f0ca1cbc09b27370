import { ClearFilters } from "@/components/ui/clear-filters";
import { JobFilter } from "@/components/ui/job-filter";
import { Segments } from "@/components/ui/segments";
import { TimeFilter } from "@/features/runs/time-filter";
import { type Change, type Filters, NARROWING } from "./filters";

const VIEWS = [
  { value: "causes", label: "By cause" },
  { value: "all", label: "One by one" },
];

interface DeadFiltersProps {
  filters: Filters;
  onChange: (change: Change) => void;
}

export function DeadFilters({ filters, onChange }: DeadFiltersProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Segments
        label="View"
        choices={VIEWS}
        value={filters.fingerprint ? "" : filters.view}
        onValue={(view) => onChange({ view, fingerprint: null })}
      />
      <JobFilter value={filters.job} onValue={(job) => onChange({ job })} />
      <TimeFilter times={filters} onChange={onChange} />
      <ClearFilters filters={filters} names={NARROWING} onChange={onChange} />
    </div>
  );
}
