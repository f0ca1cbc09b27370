import { Bar, BarChart, Cell, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { durationTick, durationTicks } from "@/components/charts/duration-ticks";
import { duration } from "@/lib/durations";
import { absolute, momentOf } from "@/lib/times";
import { said } from "@/lib/words";

export interface Point {
  id: string;
  at: string;
  ms: number;
  status: string;
}

const COLOURS: Record<string, string> = {
  succeeded: "var(--succeeded)",
  failed: "var(--failed)",
  cancelled: "var(--cancelled)",
};

interface DurationChartProps {
  points: Point[];
  /** By whose clock. */
  zone: string;
  onOpen: (id: string) => void;
}

/** In its own chunk: Recharts is large. */
export default function DurationChart({ points, zone, onOpen }: DurationChartProps) {
  const ticks = durationTicks(Math.max(...points.map((point) => point.ms)));
  return (
    <ResponsiveContainer width="100%" height={224} initialDimension={{ width: 300, height: 224 }}>
      <BarChart data={points} margin={{ top: 10, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <XAxis
          dataKey="at"
          tickFormatter={momentOf(points[0]?.at ?? 0, points.at(-1)?.at ?? 0, zone)}
          tick={{ fontSize: 11, fill: "var(--muted)" }}
          stroke="var(--line)"
          minTickGap={48}
        />
        <YAxis
          width={68}
          ticks={ticks}
          domain={[0, ticks.at(-1) ?? 1]}
          tickFormatter={durationTick}
          tick={{ fontSize: 11, fill: "var(--muted)" }}
          stroke="var(--line)"
          tickLine={false}
          axisLine={false}
        />
        <Tooltip cursor={{ fill: "var(--hover)" }} isAnimationActive={false} content={<Hint zone={zone} />} />
        <Bar
          dataKey="ms"
          isAnimationActive={false}
          maxBarSize={14}
          radius={[2, 2, 0, 0]}
          className="cursor-pointer"
          onClick={(_, index) => onOpen(points[index]?.id ?? "")}
        >
          {points.map((point) => (
            <Cell key={point.id} fill={COLOURS[point.status] ?? "var(--control)"} />
          ))}
        </Bar>
      </BarChart>
    </ResponsiveContainer>
  );
}

function Hint({ zone, active, payload }: { zone: string; active?: boolean; payload?: { payload?: Point }[] }) {
  const point = payload?.[0]?.payload;
  if (!active || !point) return null;
  return (
    <div className="rounded-md bg-text px-2.5 py-1.5 text-xs text-page shadow-md">
      <p>
        {said(point.status)} in {duration(point.ms)}
      </p>
      <p className="opacity-80">{absolute(point.at, zone)}</p>
    </div>
  );
}
