import { Button } from "@/components/ui/button";
import { ClearFilters } from "@/components/ui/clear-filters";
import { SearchInput } from "@/components/ui/search-input";
import { Select } from "@/components/ui/select";
import { PERIODS, since } from "@/features/runs/periods";

export const DEFAULTS = { actor: "", action: "", kind: "", subject: "", period: "", all: "", cursor: "" };
export type Filters = typeof DEFAULTS;
type Change = Partial<Record<keyof Filters, string | null>>;

const KINDS = [
  { value: "", label: "Anything" },
  ...[
    "job",
    "run",
    "queue",
    "worker",
    "function",
    "secret",
    "key",
    "member",
    "invitation",
    "project",
    "user",
    "session",
    "operation",
    "dead_letter",
  ].map((value) => ({ value, label: value.replaceAll("_", " ") })),
];
const NARROWING = ["actor", "action", "kind", "subject", "period"] as const;

export const isNarrowed = (filters: Filters) => NARROWING.some((name) => filters[name] !== "");

/** What the filters ask the API for; by the whole minute, so that it is one question for a while. */
export function queryOf({ period, all, ...given }: Filters, now: number): Record<string, string | boolean> {
  const from = since(period, now);
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")),
    ...(from ? { since: from } : {}),
    ...(all ? { all_projects: true } : {}),
  };
}

interface AuditFiltersProps {
  filters: Filters;
  mayAll: boolean;
  onChange: (change: Change) => void;
}

export function AuditFilters({ filters, mayAll, onChange }: AuditFiltersProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchInput
        label="By: user:ada"
        value={filters.actor}
        onValue={(actor) => onChange({ actor })}
        className="w-40"
      />
      <SearchInput
        label="Name or ID"
        value={filters.subject}
        onValue={(subject) => onChange({ subject })}
        className="w-40"
      />
      <Select aria-label="Subject" choices={KINDS} value={filters.kind} onValue={(kind) => onChange({ kind })} />
      <Select aria-label="Time" choices={PERIODS} value={filters.period} onValue={(period) => onChange({ period })} />
      {mayAll ? (
        <Select
          aria-label="Project"
          choices={[
            { value: "", label: "This project" },
            { value: "yes", label: "All projects" },
          ]}
          value={filters.all}
          onValue={(all) => onChange({ all })}
        />
      ) : null}
      {filters.action ? (
        <Button size="sm" onClick={() => onChange({ action: null })}>
          {filters.action} ×
        </Button>
      ) : null}
      <ClearFilters filters={filters} names={NARROWING} onChange={onChange} />
    </div>
  );
}
