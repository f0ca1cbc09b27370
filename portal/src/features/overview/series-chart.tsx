import type { ReactNode } from "react";
import type { SeriesView } from "@/api/schema";
import { Chart, type Series } from "@/components/charts/chart";
import { Legend } from "@/components/charts/legend";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { seconds } from "@/lib/durations";
import { brief } from "@/lib/times";
import { type Drawn, drawn, most, type Span } from "./series";
import { axisOf } from "./ticks";

export interface SeriesChartProps {
  series: SeriesView | undefined;
  span: Span;
}

interface Props extends SeriesChartProps {
  title: string;
  lines: (Series & { key: keyof Drawn })[];
  /** What it shows, in one sentence: for screen readers, and beside the title. */
  label: (points: Drawn[]) => string;
  note?: (points: Drawn[]) => ReactNode;
  value: (value: number) => string;
  short: (value: number) => string;
  levels: (most: number) => number[];
  wide?: boolean;
  empty: string;
}

/** A chart of lines over the chosen span. */
export function SeriesChart({ series, span, title, lines, label, note, value, short, levels, wide, empty }: Props) {
  const points = series?.points.map(drawn) ?? [];
  const highest = Math.max(...lines.map((line) => most(points, line.key) ?? -1));
  return (
    <Panel title={title} actions={<span className="text-xs text-muted">{highest < 0 ? null : note?.(points)}</span>}>
      {series === undefined ? <Skeleton className="h-52 w-full" /> : null}
      {series && highest < 0 ? (
        <p className="flex h-52 items-center justify-center text-sm text-muted">{empty}</p>
      ) : null}
      {series && highest >= 0 ? (
        <>
          <Chart
            label={label(points)}
            points={points.map((point) => ({ ...point }))}
            series={lines}
            {...axisOf(span, points)}
            title={(at) => `${brief(at)}, ${seconds(series.step)}`}
            value={value}
            short={short}
            levels={levels(highest)}
            wide={wide ?? false}
          />
          <div className="mt-2">
            <Legend series={lines} />
          </div>
        </>
      ) : null}
    </Panel>
  );
}
