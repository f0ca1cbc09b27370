import type { RowSelectionState } from "@tanstack/react-table";
import { CalendarClock, Plus, SearchX } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "react-router";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { JobBulk } from "./job-bulk";
import { jobColumns } from "./job-columns";
import { DEFAULTS, type Filters, JobFilters } from "./job-filters";
import { type JobsQuery, useJobs } from "./queries";

export default function JobsPage() {
  const [filters, setFilters] = useUrlState(DEFAULTS);
  const [selected, setSelected] = useState<RowSelectionState>({});
  const can = useCan();
  const jobs = useJobs(queryOf(filters));
  const change = useCallback((changes: Parameters<typeof setFilters>[0]) => setFilters(changes), [setFilters]);
  const ids = Object.keys(selected).filter((id) => selected[id]);
  const choosing = can("jobs:run") || can("jobs:write");
  return (
    <>
      <PageHeader
        title="Jobs"
        description="Every job, its schedule and its latest results."
        actions={can("jobs:write") ? <NewJob /> : null}
      />
      <JobFilters filters={filters} onChange={change} />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Jobs"
          columns={jobColumns}
          list={jobs}
          rowId={(job) => job.id}
          rowLabel={(job) => job.name}
          sort={filters.sort}
          onSort={(sort) => setFilters({ sort })}
          empty={<NoJobs narrowed={isNarrowed(filters)} mayWrite={can("jobs:write")} />}
          {...(choosing ? { selected, onSelect: setSelected } : {})}
        />
      </div>
      <Pager nextCursor={jobs.data?.next_cursor}>
        {jobs.data?.items.length ? `${plural(jobs.data.items.length, "job")} on this page` : ""}
      </Pager>
      <JobBulk ids={ids} onClear={() => setSelected({})} />
    </>
  );
}

function queryOf(filters: Filters): JobsQuery {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  return { ...given, limit: 50 } as JobsQuery; // invalid values are refused by the server, with the field named
}

function isNarrowed(filters: Filters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== "sort" && value !== "");
}

function NewJob() {
  return (
    <Button variant="primary" asChild>
      <Link to="/jobs/new">
        <Plus /> New job
      </Link>
    </Button>
  );
}

function NoJobs({ narrowed, mayWrite }: { narrowed: boolean; mayWrite: boolean }) {
  if (narrowed) {
    return (
      <EmptyState icon={SearchX} title="No jobs match">
        Clear a filter or try another name.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={CalendarClock} title="No jobs yet" action={mayWrite ? <NewJob /> : undefined}>
      A job is something to run (a URL, a script, a Python function, a container) and when to run it. Create one here,
      or with <code className="font-mono text-xs">horae jobs create</code>.
    </EmptyState>
  );
}
