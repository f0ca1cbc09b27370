import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Instant, Time } from "@/components/ui/time";
import { useJob } from "./queries";
import { zoneOf } from "./zone";

interface JobTimeProps {
  at: string | null | undefined;
  /** Its id. Its zone is fetched when the user asks for the exact time. */
  job: string;
  as?: "relative" | "countdown" | "absolute";
}

/** An instant of a job's life where the job itself is not at hand, as in lists of runs. */
export function JobTime({ at, job, as }: JobTimeProps) {
  const client = useQueryClient(); // tooltips are shown outside of the project's data
  const exact = at ? (
    <QueryClientProvider client={client}>
      <JobInstant at={at} job={job} />
    </QueryClientProvider>
  ) : undefined;
  return <Time at={at} as={as} exact={exact} />;
}

function JobInstant({ at, job }: { at: string; job: string }) {
  const found = useJob(job).data;
  return <Instant at={at} zone={found ? zoneOf(found) : undefined} />;
}
