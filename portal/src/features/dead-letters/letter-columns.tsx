import type { ColumnDef } from "@tanstack/react-table";
import { Link } from "react-router";
import type { DeadLetterView } from "@/api/schema";
import { JobTime } from "@/features/job/job-time";

export const letterColumns: ColumnDef<DeadLetterView>[] = [
  {
    id: "job",
    header: "Job",
    meta: { className: "max-w-56 sm:max-w-xl" },
    cell: ({ row: { original: letter } }) => (
      <div className="min-w-0">
        <Link
          to={`/runs/${letter.id}`}
          className="block truncate rounded font-medium hover:text-accent hover:underline"
        >
          {letter.job_name}
        </Link>
        <span className="block truncate text-xs text-muted" title={letter.error ?? undefined}>
          {letter.error}
        </span>
      </div>
    ),
  },
  {
    id: "input",
    header: "Input",
    meta: { className: "hidden max-w-48 lg:table-cell" },
    cell: ({ row: { original: letter } }) => (
      <code className="block truncate font-mono text-xs text-soft">{shown(letter)}</code>
    ),
  },
  {
    id: "attempt",
    header: "Attempts",
    meta: { className: "hidden md:table-cell" },
    cell: ({ row: { original: letter } }) => letter.attempt,
  },
  {
    id: "code",
    header: "Code",
    meta: { className: "hidden md:table-cell" },
    cell: ({ row: { original: letter } }) => letter.response_code ?? letter.exit_code ?? "–",
  },
  {
    id: "failed",
    header: "Failed",
    cell: ({ row: { original: letter } }) => <JobTime at={letter.failed_at} job={letter.job_id} />,
  },
];

function shown(letter: DeadLetterView): string {
  if (letter.truncated.includes("input")) return "too long to list";
  return letter.input === null || letter.input === undefined ? "–" : JSON.stringify(letter.input);
}
