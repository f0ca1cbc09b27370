import { Area, Bar, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";

/** One series; drawn `as` an area, a line or bars. Bars and areas of one `stack` add up. */
export interface Series {
  key: string;
  label: string;
  /** A token: `var(--succeeded)`. */
  colour: string;
  as: "bar" | "area" | "line" | "dots";
  stack?: string;
  /** Whether unknown values leave a gap, instead of being bridged. */
  gaps?: boolean;
}

export interface ChartViewProps {
  /** Points by `at` (ms), each with a number for every series. */
  points: ({ at: number } & Record<string, number | null>)[];
  series: Series[];
  /** The format of an instant on the axis, and in full. */
  tick: (at: number) => string;
  title: (at: number) => string;
  value: (value: number) => string;
  /** A short format, for the axis. */
  short?: (value: number) => string;
  /** More room for the labels. */
  wide?: boolean;
  /** The instants to label, if not chosen automatically. */
  ticks?: number[] | undefined;
  /** The values to label, if not round numbers. */
  levels?: number[] | undefined;
  /** Called when the user clicks on a bar: its series and instant. */
  onPick?: ((key: string, at: number) => void) | undefined;
}

const TIME = { type: "number" as const, scale: "time" as const, domain: ["dataMin", "dataMax"] };
const TEXT = { fontSize: 11, fill: "var(--muted)" };

export default function ChartView({
  points,
  series,
  tick,
  title,
  value,
  short = value,
  wide = false,
  ticks,
  levels,
  onPick,
}: ChartViewProps) {
  const bars = series.some((one) => one.as === "bar"); // these stand side by side, the rest on an axis of time
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 400, height: 208 }}>
      <ComposedChart data={points} margin={{ top: 10, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="at"
          {...(bars ? {} : { ...TIME, ticks: ticksOf(points) })}
          {...(ticks ? { ticks } : {})}
          tickFormatter={tick}
          tick={TEXT}
          tickLine={false}
          stroke="var(--line)"
          minTickGap={28}
        />
        <YAxis
          width={wide ? 68 : 40}
          {...(levels ? { ticks: levels, domain: [0, levels.at(-1) ?? 1] } : {})}
          tickFormatter={short}
          tick={TEXT}
          tickLine={false}
          axisLine={false}
          allowDecimals={false}
          tickCount={4}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: "var(--hover)", stroke: "var(--line)", fillOpacity: 0.6 }}
          content={({ active, label, payload }) =>
            active && payload.length > 0 ? (
              <div className="rounded-md border border-line bg-surface px-3 py-2 text-xs shadow-md">
                <p className="mb-1 font-medium">{title(Number(label))}</p>
                {series.map((one) => (
                  <Shown
                    key={one.key}
                    series={one}
                    point={payload[0]?.payload as Record<string, unknown>}
                    value={value}
                  />
                ))}
              </div>
            ) : null
          }
        />
        {series.map((one) => drawn(one, lonely(points, one.key), onPick))}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** Four evenly spaced instants. */
function ticksOf(points: ChartViewProps["points"]): number[] {
  const from = points[0]?.at ?? 0;
  const span = (points.at(-1)?.at ?? 0) - from;
  return [1, 3, 5, 7].map((eighth) => Math.round(from + (span * eighth) / 8));
}

/** Whether there are too few values for a visible line. */
function lonely(points: ChartViewProps["points"], key: string): boolean {
  return points.filter((point) => typeof point[key] === "number").length < 5;
}

function drawn(
  { key, colour, as, stack, label, gaps = false }: Series,
  few: boolean,
  onPick: ChartViewProps["onPick"],
) {
  const shared = { key, dataKey: key, name: label, isAnimationActive: false };
  const dot = { r: 2, fill: colour, stroke: "none", fillOpacity: 1 };
  if (as === "bar") {
    const picked = onPick && {
      cursor: "pointer",
      onClick: ({ payload }: { payload?: { at?: number } }) => {
        if (payload?.at !== undefined) onPick(key, payload.at);
      },
    };
    return <Bar {...shared} {...picked} fill={colour} stackId={stack} maxBarSize={28} />;
  }
  if (as === "area") {
    const look = { stroke: colour, fill: colour, fillOpacity: 0.15 };
    return (
      <Area {...shared} {...look} type="linear" stackId={stack} connectNulls={!gaps} dot={few && gaps ? dot : false} />
    );
  }
  const dots = as === "dots" || (few && gaps);
  return (
    <Line
      {...shared}
      type="linear"
      stroke={as === "dots" ? "none" : colour}
      strokeWidth={1.5}
      dot={dots ? dot : false}
      activeDot={{ r: 3, fill: colour }}
      connectNulls={!gaps}
    />
  );
}

interface ShownProps {
  series: Series;
  point: Record<string, unknown>;
  value: (value: number) => string;
}

function Shown({ series, point, value }: ShownProps) {
  const found = point[series.key];
  if (typeof found !== "number") return null;
  return (
    <p className="flex items-center gap-2">
      <span aria-hidden className="size-2 rounded-[2px]" style={{ background: series.colour }} />
      <span className="text-muted">{series.label}</span>
      <span className="ml-auto pl-3 font-medium">{value(found)}</span>
    </p>
  );
}
