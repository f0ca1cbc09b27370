import type { JobView } from "@/api/schema";
import { userZone } from "@/lib/times";

/** The zone whose clock a job goes by; undefined for one that goes by none: an interval is the same everywhere. */
export function zoneOf(job: JobView): string | undefined {
  return job.schedule && "cron" in job.schedule ? job.schedule.timezone : undefined;
}

/** The one clock of a job's page: the job's own, or else the reader's. */
export function clockOf(job: JobView): string {
  return zoneOf(job) ?? userZone();
}
