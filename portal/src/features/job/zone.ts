import type { JobView } from "@/api/schema";

/** The zone whose clock a job goes by; undefined for one that only people start. */
export function zoneOf(job: JobView): string | undefined {
  return job.schedule && "timezone" in job.schedule ? job.schedule.timezone : undefined;
}
