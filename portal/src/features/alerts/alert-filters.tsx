import type { AlertView } from "@/api/schema";
import { ClearFilters } from "@/components/ui/clear-filters";
import { JobFilter } from "@/components/ui/job-filter";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { titled } from "@/lib/words";
import { type Change, type Filters, NARROWING } from "./filters";
import { ruleWords } from "./rules";
import { SEVERITIES } from "./severity";

const STATES = [
  { value: "open", label: "Open" },
  { value: "cleared", label: "History" },
];
const CHOICES = [
  { value: "", label: "Any severity" },
  ...SEVERITIES.map((severity) => ({ value: severity, label: titled(severity) })),
];

interface AlertFiltersProps {
  filters: Filters;
  onChange: (change: Change) => void;
  /** What is shown: its rules are offered. */
  shown: AlertView[];
}

export function AlertFilters({ filters, onChange, shown }: AlertFiltersProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Segments label="State" choices={STATES} value={filters.state} onValue={(state) => onChange({ state })} />
      <Select
        aria-label="Severity"
        choices={CHOICES}
        value={filters.severity}
        onValue={(severity) => onChange({ severity })}
      />
      <Select
        aria-label="Rule"
        choices={rulesOf(shown, filters.rule)}
        value={filters.rule}
        onValue={(rule) => onChange({ rule })}
      />
      <JobFilter value={filters.job} onValue={(job) => onChange({ job })} />
      <ClearFilters filters={filters} names={NARROWING} onChange={onChange} />
    </div>
  );
}

function rulesOf(shown: AlertView[], chosen: string) {
  const rules = new Set(shown.map((alert) => alert.rule));
  if (chosen) rules.add(chosen);
  const found = [...rules].sort().map((rule) => ({ value: rule, label: ruleWords(rule) }));
  return [{ value: "", label: "Any rule" }, ...found];
}
