import { TriangleAlert } from "lucide-react";
import type { JobView } from "@/api/schema";

/** That the definition cannot be read, why, and what to do about it; nothing for all other jobs. */
export function UnreadableBanner({ job }: { job: JobView }) {
  if (!job.unreadable) return null;
  return (
    <section role="alert" className="mb-4 flex gap-3 rounded-lg border border-failed/40 bg-surface px-4 py-3 text-sm">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed-text" />
      <div>
        <p className="font-medium">This version of Horae cannot read the definition of this job</p>
        <p className="font-mono text-xs">{job.unreadable}</p>
        <p className="mt-1 text-muted">
          It starts no runs until that is fixed. If a newer version of Horae saved it, finish the upgrade; otherwise
          restore an earlier version of the job, or replace its definition with{" "}
          <code className="font-mono">horae apply</code>. Unreadable fields are shown with their defaults.
        </p>
      </div>
    </section>
  );
}
