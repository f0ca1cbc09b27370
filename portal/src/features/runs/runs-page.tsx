import { Activity, SearchX } from "lucide-react";
import { useState } from "react";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { since } from "./periods";
import { type RunsQuery, useRuns } from "./queries";
import { RunBulk } from "./run-bulk";
import { runColumns } from "./run-columns";
import { DEFAULTS, type Filters, isNarrowed, RunFilters } from "./run-filters";
import { useChosenRuns } from "./use-chosen-runs";

export default function RunsPage() {
  const [filters, setFilters] = useUrlState(DEFAULTS);
  const [opened] = useState(Date.now);
  const runs = useRuns(queryOf(filters, opened));
  const chosen = useChosenRuns(runs.data?.items);
  const can = useCan();
  const choosing = can("runs:cancel") || can("jobs:run");
  return (
    <>
      <PageHeader title="Runs" description="Every run, live." />
      <RunFilters filters={filters} onChange={setFilters} />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Runs"
          columns={runColumns}
          list={runs}
          rowId={(run) => run.id}
          rowLabel={(run) => `the ${run.status} run of ${run.job_name}`}
          empty={<NoRuns narrowed={isNarrowed(filters)} />}
          {...(choosing ? { selected: chosen.rows, onSelect: chosen.choose } : {})}
        />
      </div>
      <Pager nextCursor={runs.data?.next_cursor}>
        {runs.data?.items.length ? `${plural(runs.data.items.length, "run")} on this page` : ""}
      </Pager>
      <RunBulk runs={chosen.runs} onClear={chosen.clear} />
    </>
  );
}

function queryOf({ period, ...filters }: Filters, opened: number): RunsQuery {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const from = since(period, opened);
  return { ...given, ...(from ? { since: from } : {}), limit: 50 } as RunsQuery;
}

function NoRuns({ narrowed }: { narrowed: boolean }) {
  return narrowed ? (
    <EmptyState icon={SearchX} title="No runs match">
      Clear a filter or choose a longer time range.
    </EmptyState>
  ) : (
    <EmptyState icon={Activity} title="No runs yet">
      Runs appear here as schedules fire or someone starts a job.
    </EmptyState>
  );
}
