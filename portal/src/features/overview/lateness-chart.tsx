import { durationTick, durationTicks } from "@/components/charts/duration-ticks";
import { duration } from "@/lib/durations";
import { most } from "./series";
import { SeriesChart, type SeriesChartProps } from "./series-chart";

/** How long after they were due runs started. */
export function LatenessChart(props: SeriesChartProps) {
  return (
    <SeriesChart
      {...props}
      title="Lateness"
      lines={[
        { key: "p99", label: "99 % start within", colour: "var(--paused)", as: "line", gaps: true },
        { key: "p50", label: "half of them within", colour: "var(--accent)", as: "line", gaps: true },
      ]}
      label={(points) =>
        `Delay between due time and start: at worst ${duration(most(points, "p99"))} for 99 % of the runs`
      }
      note={(points) => `worst p99 ${duration(most(points, "p99"))}`}
      value={duration}
      short={durationTick}
      levels={durationTicks}
      wide
      empty="No runs started."
    />
  );
}
