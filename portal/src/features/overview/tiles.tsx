import type { MonitoredJobsView, SeriesView } from "@/api/schema";
import { count } from "@/lib/durations";
import { totals } from "./series";
import { switchedOff } from "./switched-off";
import { Tile } from "./tile";

interface TilesProps {
  numbers: MonitoredJobsView | undefined;
  series: SeriesView | undefined;
  /** "24 hours". */
  span: string;
}

export function Tiles({ numbers, series, span }: TilesProps) {
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Ended series={series} span={span} />
      <Now numbers={numbers} />
    </div>
  );
}

function Ended({ series, span }: Pick<TilesProps, "series" | "span">) {
  const { succeeded, failed, cancelled } = totals(series?.points ?? []);
  const decided = succeeded + failed;
  const rate = decided === 0 ? "–" : percent(succeeded, decided);
  return (
    <>
      <Tile
        label={`Success rate, ${span}`}
        value={series && rate}
        note={failed === 0 ? "no failures" : `${count(failed)} failed`}
        to="/runs?status=failed"
        bad={decided > 0 && succeeded / decided < 0.9}
      />
      <Tile label={`Runs, ${span}`} value={series && count(decided + cancelled)} note="finished" to="/runs" />
    </>
  );
}

function Now({ numbers }: Pick<TilesProps, "numbers">) {
  const { running, stuck, queued, dead_letter: dead } = numbers?.executions ?? NOTHING;
  return (
    <>
      <Tile
        label="Running"
        value={numbers && count(running)}
        note={stuck > 0 ? `${count(stuck)} stuck` : "now"}
        to="/runs?status=running"
        bad={stuck > 0}
      />
      <Tile label="Queued" value={numbers && count(queued)} note="waiting or scheduled" to="/runs?status=queued" />
      <Tile
        label="Dead letters"
        value={numbers && count(dead)}
        note={dead > 0 ? "needs attention" : "all clear"}
        to="/dead-letters"
        bad={dead > 0}
      />
      <Tile
        label="Jobs"
        value={numbers && count(numbers.jobs.total)}
        note={numbers && switchedOff(numbers.jobs)}
        to="/jobs"
      />
    </>
  );
}

const NOTHING = { running: 0, stuck: 0, queued: 0, dead_letter: 0 };

/** Never rounded up to 100: one failure is one. */
function percent(part: number, whole: number): string {
  const value = (part / whole) * 100;
  return `${(Math.floor(value * 10) / 10).toFixed(value === 100 ? 0 : 1)} %`;
}
