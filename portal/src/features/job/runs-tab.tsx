import { Activity, SearchX } from "lucide-react";
import type { JobView } from "@/api/schema";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Pager } from "@/components/ui/pager";
import { Select } from "@/components/ui/select";
import { type RunsQuery, useRuns } from "@/features/runs/queries";
import { runColumns } from "@/features/runs/run-columns";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";

const STATUSES = [
  { value: "", label: "Any status" },
  ...["queued", "running", "succeeded", "failed", "cancelled", "skipped"].map((value) => ({ value, label: value })),
];
const TRIGGERS = [
  { value: "", label: "Any trigger" },
  ...["schedule", "manual", "api", "retry", "backfill", "after"].map((value) => ({ value, label: value })),
];

export function RunsTab({ job }: { job: JobView }) {
  const [filters, set] = useUrlState({ status: "", trigger: "", cursor: "" });
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const runs = useRuns({ ...given, job: job.id, limit: 50 } as RunsQuery);
  const narrowed = filters.status !== "" || filters.trigger !== "";
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select aria-label="Status" choices={STATUSES} value={filters.status} onValue={(status) => set({ status })} />
        <Select
          aria-label="Trigger"
          choices={TRIGGERS}
          value={filters.trigger}
          onValue={(trigger) => set({ trigger })}
        />
      </div>
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption={`Runs of ${job.name}`}
          columns={runColumns}
          list={runs}
          rowId={(run) => run.id}
          empty={
            narrowed ? (
              <EmptyState icon={SearchX} title="No runs match">
                Clear a filter.
              </EmptyState>
            ) : (
              <EmptyState icon={Activity} title="No runs yet">
                Click “Run now”, or wait for the schedule.
              </EmptyState>
            )
          }
        />
      </div>
      <Pager nextCursor={runs.data?.next_cursor}>
        {runs.data?.items.length ? `${plural(runs.data.items.length, "run")} on this page` : ""}
      </Pager>
    </>
  );
}
