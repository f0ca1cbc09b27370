import { TriangleAlert } from "lucide-react";
import { Link } from "react-router";
import type { ListedJobView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { useWorkers } from "@/features/workers/queries";
import { canBeTaken, missing, needsOf } from "@/features/workers/servable";

/** Warns that no live worker can execute the job, with a link to the explanation. */
export function NoWorker({ job }: { job: ListedJobView }) {
  const workers = useWorkers().data?.items;
  if (!workers || !job.target || !job.enabled || job.paused) return null;
  const needs = needsOf(job.target);
  if (canBeTaken(workers, job.queue, needs)) return null;
  const sentence = missing(workers, job.queue, needs);
  return (
    <Link to={`/jobs/${job.id}?tab=why`} title={sentence} className="mt-0.5 inline-block rounded">
      <Badge tone="failed">
        <TriangleAlert aria-hidden /> cannot start
        <span className="sr-only">: {sentence}</span>
      </Badge>
    </Link>
  );
}
