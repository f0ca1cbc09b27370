import { TriangleAlert } from "lucide-react";
import { Link } from "react-router";
import type { JobView } from "@/api/schema";
import { ServerText } from "@/components/ui/server-text";
import { useExplanation } from "./queries";
import { zoneOf } from "./zone";

/** Why the job does not run, if something needs a fix or an admin disabled its function: users who suspect nothing do
 * not open "Why". */
export function BlockedBanner({ job }: { job: JobView }) {
  const why = useExplanation(job.id);
  if (why.data?.level !== "problem" && why.data?.cause !== "function") return null;
  return (
    <section
      aria-label="Blocked"
      className="mb-4 flex gap-3 rounded-lg border border-line bg-failed-soft px-4 py-3 text-sm text-failed-text"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 break-words">
        <ServerText text={why.data.summary} zone={zoneOf(job)} />{" "}
        <Link to="?tab=why" className="rounded font-medium underline">
          Why?
        </Link>
      </p>
    </section>
  );
}
