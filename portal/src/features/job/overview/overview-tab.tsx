import type { JobView } from "@/api/schema";
import { useNewestRuns } from "../queries";
import { Counters } from "./counters";
import { DurationTrend } from "./duration-trend";
import { HeatMapView } from "./heat-map-view";
import { InWords } from "./in-words";
import { NextPanel } from "./next-panel";

const NEWEST = 100;

export function OverviewTab({ job }: { job: JobView }) {
  const runs = useNewestRuns(job.id, NEWEST);
  return (
    <div className="space-y-4">
      <Counters job={job} runs={runs.data?.items} />
      <div className="grid gap-4 lg:grid-cols-2">
        <DurationTrend runs={runs.data?.items} />
        <HeatMapView job={job} />
        <InWords job={job} />
        <NextPanel job={job} />
      </div>
    </div>
  );
}
