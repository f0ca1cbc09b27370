import { durationTick, durationTicks } from "@/components/charts/duration-ticks";
import { count, duration } from "@/lib/durations";
import { most } from "./series";
import { SeriesChart, type SeriesChartProps } from "./series-chart";

/** How long the oldest due run had been waiting for a worker. */
export function QueueAgeChart(props: SeriesChartProps) {
  return (
    <SeriesChart
      {...props}
      title="Queue age"
      lines={[{ key: "oldest", label: "wait of the oldest due run", colour: "var(--queued)", as: "area", gaps: true }]}
      label={(points) =>
        `Longest wait of a due run: ${duration(most(points, "oldest"))}; at most ${count(most(points, "queued") ?? 0)} waited`
      }
      note={(points) => `at most ${count(most(points, "queued") ?? 0)} waiting`}
      value={duration}
      short={durationTick}
      levels={(highest) => durationTicks(Math.max(highest, 1_000))}
      wide
      empty="No data yet: schedulers take a sample every minute."
    />
  );
}
