import type { JobView } from "@/api/schema";
import { useNewestRuns } from "../queries";
import { clockOf, zoneOf } from "../zone";
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
      <Clock job={job} />
      <div className="grid gap-4 lg:grid-cols-2">
        <DurationTrend runs={runs.data?.items} zone={clockOf(job)} />
        <HeatMapView job={job} />
        <InWords job={job} />
        <NextPanel job={job} />
      </div>
    </div>
  );
}

function Clock({ job }: { job: JobView }) {
  return (
    <p className="text-xs text-muted">
      Times on this page are in {clockOf(job)}, {zoneOf(job) ? "the schedule's time zone" : "your time zone"}.
    </p>
  );
}
