import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { ClearFilters } from "@/components/ui/clear-filters";
import { JobFilter } from "@/components/ui/job-filter";
import { Select } from "@/components/ui/select";
import { useQueues } from "@/features/queues/queries";
import { isAlive } from "@/features/workers/fleet";
import { useWorkers } from "@/features/workers/queries";
import { cn } from "@/lib/cn";
import { said } from "@/lib/words";
import { EndedFilter } from "./ended-filter";
import { TimeFilter } from "./time-filter";

export const DEFAULTS = {
  job: "",
  status: "",
  outcome: "",
  trigger: "",
  worker: "",
  queue: "",
  period: "",
  since: "",
  until: "",
  ended_since: "",
  ended_until: "",
  sort: "-created_at",
  cursor: "",
};
export type Filters = typeof DEFAULTS;
export type Change = Partial<Record<keyof Filters, string | null>>;

const named = (any: string, values: string[]) => [
  { value: "", label: any },
  ...values.map((value) => ({ value, label: value })),
];
const STATUSES = named("Any status", ["queued", "running", "succeeded", "failed", "cancelled", "skipped"]);
const OUTCOMES = [
  { value: "", label: "Any outcome" },
  ...["succeeded", "failed", "timed_out", "lost", "interrupted", "cancelled"].map((value) => ({
    value,
    label: said(value),
  })),
];
const TRIGGERS = named("Any trigger", ["schedule", "manual", "api", "retry", "backfill", "after"]);
const ORDERS = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
];
const TIMES = ["period", "since", "until", "ended_since", "ended_until"] as const;
const FOLDED = ["outcome", "trigger", "queue", "worker", ...TIMES] as const;
const NARROWING = ["job", "status", ...FOLDED] as const;

export function isNarrowed(filters: Filters): boolean {
  return NARROWING.some((name) => filters[name] !== "");
}

interface RunFiltersProps {
  filters: Filters;
  onChange: (change: Change) => void;
}

export function RunFilters({ filters, onChange }: RunFiltersProps) {
  const [more, setMore] = useState(false);
  const hides = FOLDED.some((name) => filters[name] !== ""); // what narrows the list is seen on a phone as well
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <JobFilter value={filters.job} onValue={(job) => onChange({ job })} />
      <Select
        aria-label="Status"
        choices={STATUSES}
        value={filters.status}
        onValue={(status) => onChange({ status })}
      />
      <Button
        variant="ghost"
        size="icon"
        aria-label="More filters"
        aria-expanded={more}
        className="sm:hidden"
        onClick={() => setMore(!more)}
      >
        <SlidersHorizontal />
      </Button>
      <div className={cn("flex flex-wrap gap-2 xl:contents", !more && !hides && "max-sm:hidden")}>
        <Select
          aria-label="Outcome of the last attempt"
          choices={OUTCOMES}
          value={filters.outcome}
          onValue={(outcome) => onChange({ outcome })}
        />
        <Select
          aria-label="Trigger"
          choices={TRIGGERS}
          value={filters.trigger}
          onValue={(trigger) => onChange({ trigger })}
        />
        <QueueFilter value={filters.queue} onValue={(queue) => onChange({ queue })} />
        <WorkerFilter value={filters.worker} onValue={(worker) => onChange({ worker })} />
        {filters.ended_since || filters.ended_until ? (
          <EndedFilter
            since={filters.ended_since}
            until={filters.ended_until}
            onRemove={() => onChange({ since: null, until: null, ended_since: null, ended_until: null })}
          />
        ) : (
          <TimeFilter times={filters} onChange={onChange} />
        )}
        <Select aria-label="Order" choices={ORDERS} value={filters.sort} onValue={(sort) => onChange({ sort })} />
      </div>
      <ClearFilters filters={filters} names={NARROWING} onChange={onChange} />
    </div>
  );
}

interface PickProps {
  value: string;
  onValue: (value: string) => void;
}

function QueueFilter({ value, onValue }: PickProps) {
  const queues = useQueues();
  const names = new Set(queues.data?.items.map((queue) => queue.name));
  if (value) names.add(value);
  return <Select aria-label="Queue" choices={named("Any queue", [...names])} value={value} onValue={onValue} />;
}

function WorkerFilter({ value, onValue }: PickProps) {
  const workers = useWorkers();
  const choices = (workers.data?.items ?? []).map((worker) => ({
    value: worker.id,
    label: isAlive(worker) ? worker.name : `${worker.name} (${worker.status})`,
  }));
  if (value && !choices.some((choice) => choice.value === value)) choices.push({ value, label: value.slice(0, 8) });
  return (
    <Select
      aria-label="Worker"
      choices={[{ value: "", label: "Any worker" }, ...choices]}
      value={value}
      onValue={onValue}
      className="max-w-48"
    />
  );
}
