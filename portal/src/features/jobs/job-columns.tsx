import type { ColumnDef } from "@tanstack/react-table";
import { Link } from "react-router";
import type { ListedJobView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { RunStrip } from "@/components/ui/run-strip";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { targetWords } from "@/lib/words";
import { EnabledSwitch, RowActions } from "./job-row";
import { NoWorker } from "./no-worker";

export const jobColumns: ColumnDef<ListedJobView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { sort: "name", className: "max-w-40 sm:min-w-40 lg:max-w-52 2xl:max-w-64" },
    cell: ({ row: { original: job } }) => (
      <div className="min-w-0">
        <Link to={`/jobs/${job.id}`} className="block truncate rounded font-medium hover:text-accent hover:underline">
          {job.name}
        </Link>
        {job.tags.length > 0 ? (
          <div className="mt-0.5 flex gap-1 overflow-hidden">
            {job.tags.slice(0, 3).map((tag) => (
              <Link
                key={tag}
                to={`/jobs?tag=${encodeURIComponent(tag)}`}
                className="max-w-24 truncate text-xs text-muted hover:text-accent"
              >
                #{tag}
              </Link>
            ))}
          </div>
        ) : null}
        <NoWorker job={job} />
        <div className="mt-1 sm:hidden">
          <RunStrip runs={job.recent ?? []} />
        </div>
      </div>
    ),
  },
  {
    id: "target",
    header: "Target",
    meta: { className: "hidden max-w-36 lg:table-cell 2xl:max-w-56" },
    cell: ({ row: { original: job } }) => (
      <div className="flex items-center gap-2">
        <Badge>{job.target?.kind ?? "unreadable"}</Badge>
        <span className="truncate font-mono text-xs text-muted" title={targetWords(job.target)}>
          {targetWords(job.target)}
        </span>
      </div>
    ),
  },
  {
    id: "schedule",
    header: "Schedule",
    meta: { className: "hidden max-w-40 md:table-cell 2xl:max-w-60" },
    cell: ({ row: { original: job } }) => (
      <span className="line-clamp-2 text-soft" title={job.words ?? undefined}>
        {job.words}
      </span>
    ),
  },
  {
    id: "recent",
    header: "Last runs",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: job } }) => (
      <>
        <RunStrip runs={job.recent ?? []} />
        {job.last_run_at ? (
          <span className="mt-0.5 block text-xs whitespace-nowrap text-muted">
            <span className={job.last_status === "failed" ? "text-failed-text" : undefined}>{job.last_status}</span>{" "}
            <Time at={job.last_run_at} />
          </span>
        ) : null}
      </>
    ),
  },
  {
    id: "next",
    header: "Next run",
    meta: { sort: "next_run_at" },
    cell: ({ row: { original: job } }) => <NextRun job={job} />,
  },
  {
    id: "enabled",
    header: "Enabled",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: job } }) => <EnabledSwitch job={job} />,
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    // At hand also where the table is wider than the window.
    meta: { className: "sticky right-0 bg-inherit pl-0 sm:w-24" },
    cell: ({ row: { original: job } }) => <RowActions job={job} />,
  },
];

/** The countdown, or why there is none. */
function NextRun({ job }: { job: ListedJobView }) {
  if (job.unreadable) return <StatusBadge status="unreadable" className="max-sm:[&_svg]:hidden" />; // a phone is narrow
  if (job.status === "running" || job.status === "paused" || job.status === "disabled") {
    return <StatusBadge status={job.status} />;
  }
  if (!job.next_run_at) return <span className="text-muted">{job.status === "finished" ? "finished" : "–"}</span>;
  return <Time at={job.next_run_at} as="countdown" zone={zoneOf(job)} />;
}

function zoneOf(job: ListedJobView): string | undefined {
  return job.schedule && "timezone" in job.schedule ? job.schedule.timezone : undefined;
}
