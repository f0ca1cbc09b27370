import type { MonitoredJobsView } from "@/api/schema";
import { toMillis } from "@/lib/times";

export interface Sample {
  at: number;
  ended: number;
  queued: number;
  running: number;
}

export interface Flow {
  at: number;
  queued: number;
  running: number;
  /** Runs that ended, a minute; unknown at the first look. */
  rate: number | null;
}

const KEPT = 180;
const CLOSE = 4_000; // ms: looks nearer to each other than that are one

export function sampleOf({ timestamp, executions }: MonitoredJobsView): Sample {
  const { success, failure, cancelled, queued, running } = executions;
  return { at: toMillis(timestamp), ended: success + failure + cancelled, queued, running };
}

/** One more look at the counters; the oldest go, so that a page left open does not grow. */
export function withSample(samples: readonly Sample[], next: Sample): Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return samples as Sample[];
  const before = samples.at(-2);
  const kept = last && before && next.at - before.at < CLOSE ? samples.slice(0, -1) : samples;
  return [...kept, next].slice(-KEPT);
}

export function flowOf(samples: readonly Sample[]): Flow[] {
  return samples.map(({ at, ended, queued, running }, index) => {
    const before = samples[index - 1];
    // Counters go down when a project's history is pruned; then the rate is unknown.
    const rate = before && ended >= before.ended ? ((ended - before.ended) / (at - before.at)) * 60_000 : null;
    return { at, queued, running, rate };
  });
}
