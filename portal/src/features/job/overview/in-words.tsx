import { Link } from "react-router";
import type { JobView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { KeyValues } from "@/components/ui/key-values";
import { Panel } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import { alertSummary, readAlert } from "@/features/job-form/model/alert";
import { definitionOf } from "@/features/job-form/model/draft";
import { readPolicies, waits } from "@/features/job-form/model/policies";
import { seconds } from "@/lib/durations";
import { plural, targetWords } from "@/lib/words";

const OVERLAPS: Record<JobView["overlap"], string> = {
  skip: "skip",
  queue_one: "queue one",
  queue_all: "queue all",
  cancel_running: "cancel the running one",
  allow: "run in parallel",
};
const CATCH_UPS: Record<JobView["catch_up"], string> = {
  last: "run the latest",
  all: "run all",
  first: "run the earliest",
  none: "skip",
};

/** The definition in words. */
export function InWords({ job }: { job: JobView }) {
  const scheduled = job.schedule !== null && !("manual" in job.schedule);
  return (
    <Panel title="Configuration">
      <KeyValues
        items={[
          ["Target", <Target key="target" job={job} />],
          ["Retries", retries(job)],
          ["Timeout", `${seconds(job.timeout)} per attempt`],
          ["Start within", job.start_within === null ? null : seconds(job.start_within)],
          ["Grace period", job.grace === null ? null : seconds(job.grace)],
          ["Concurrency", job.max_instances === null ? "no limit" : plural(job.max_instances, "run")],
          ["If still running", scheduled ? OVERLAPS[job.overlap] : null],
          ["Missed runs", scheduled ? CATCH_UPS[job.catch_up] : null],
          [
            "Queue",
            <span key="queue">
              <Link to={`/jobs?queue=${encodeURIComponent(job.queue)}`} className="rounded hover:text-accent">
                {job.queue}
              </Link>
              <span className="text-muted"> · priority {job.priority}</span>
            </span>,
          ],
          ["Alerts", job.alert ? alertSummary(readAlert(job.alert)) : null],
          ["Notifies", job.notify.join(", ")],
          [
            "Version",
            <span key="version">
              {job.version}, saved <Time at={job.updated_at} /> by {job.updated_by.replace(/^(user|key):/, "")}
            </span>,
          ],
          [
            "Created",
            <span key="created">
              <Time at={job.created_at} /> by {job.created_by.replace(/^(user|key):/, "")}
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

function Target({ job }: { job: JobView }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <Badge>{job.target?.kind ?? "unreadable"}</Badge>
      <span className="min-w-0 font-mono text-xs break-all">{targetWords(job.target)}</span>
    </span>
  );
}

function retries(job: JobView): string {
  const all = waits(readPolicies(definitionOf(job)));
  if (all.length === 0) return "none";
  const shown = all.slice(0, 4).map(seconds).join(", ");
  return `up to ${plural(all.length + 1, "attempt")}, after ${shown}${all.length > 4 ? " …" : ""}`;
}
