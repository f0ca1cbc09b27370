import { most } from "./series";
import { SeriesChart, type SeriesChartProps } from "./series-chart";

const percent = (value: number) =>
  `${value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 })}\u00a0%`;

/** How many of all workers' slots this project's runs were using. */
export function UtilisationChart(props: SeriesChartProps) {
  return (
    <SeriesChart
      {...props}
      title="Utilisation"
      lines={[{ key: "busy", label: "slots used by this project", colour: "var(--running)", as: "area", gaps: true }]}
      label={(points) =>
        `Share of all slots that this project's runs use: at most ${percent(most(points, "busy") ?? 0)}`
      }
      note={(points) => `at most ${percent(most(points, "busy") ?? 0)}`}
      value={percent}
      short={(value) => `${value}%`}
      levels={(highest) => (highest > 50 ? [0, 25, 50, 75, 100] : highest > 10 ? [0, 10, 25, 50] : [0, 5, 10])}
      empty="No data yet: schedulers take a sample every minute."
    />
  );
}
