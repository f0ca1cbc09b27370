import { useState } from "react";
import type { JobView } from "@/api/schema";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { useHours } from "../queries";
import { clockOf } from "../zone";
import { cellWords, type DayRow, type Heat, heat, heatMap } from "./heat-map";

const DAYS = 14;
const COLOURS: Record<Heat, string> = {
  none: "bg-sunken",
  idle: "bg-skipped-soft border border-skipped",
  good: "bg-succeeded",
  few: "bg-paused/45",
  some: "bg-paused",
  most: "bg-failed/75",
  all: "bg-failed",
};
const LEGEND: [Heat, string][] = [
  ["good", "all succeeded"],
  ["few", "under 10 % failed"],
  ["some", "10 to 50 % failed"],
  ["most", "half or more failed"],
  ["all", "all failed"],
  ["idle", "skipped or cancelled"],
  ["none", "no runs"],
];

/** How its runs ended, by day and hour in its time zone. */
export function HeatMapView({ job }: { job: JobView }) {
  const zone = clockOf(job);
  const hours = useHours(job.id, DAYS * 24);
  const [now] = useState(Date.now);
  const rows = heatMap(hours.data?.items ?? [], zone, DAYS, now);
  return (
    <Panel title="Results by hour">
      {hours.data ? <Grid rows={rows} /> : <Skeleton className="h-52 w-full" />}
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {LEGEND.map(([kind, words]) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span aria-hidden className={cn("size-3 rounded-[2px]", COLOURS[kind])} />
            {words}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Grid({ rows }: { rows: DayRow[] }) {
  return (
    <div
      role="img"
      aria-label={summary(rows)}
      className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-muted"
    >
      {rows.map((row, index) => (
        <Day key={row.date} row={row} label={index % 2 === 0 ? dayWords(row.date) : ""} />
      ))}
      <span />
      <span className="mt-1 grid grid-cols-4">
        {["00", "06", "12", "18"].map((hour) => (
          <span key={hour}>{hour}:00</span>
        ))}
      </span>
    </div>
  );
}

function Day({ row, label }: { row: DayRow; label: string }) {
  return (
    <>
      <span className="h-3.5 text-right leading-3.5 whitespace-nowrap">{label}</span>
      <span className="grid h-3.5 grid-cols-24 gap-px pb-0.5">
        {row.cells.map((cell, hour) => (
          <span
            key={`${row.date} ${hour}`}
            title={`${dayWords(row.date)}, ${String(hour).padStart(2, "0")}:00: ${cellWords(cell)}`}
            className={cn("rounded-[2px]", COLOURS[heat(cell)])}
          />
        ))}
      </span>
    </>
  );
}

function dayWords(date: string): string {
  return new Date(`${date}T12:00:00Z`).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

function summary(rows: DayRow[]): string {
  const cells = rows.flatMap((row) => row.cells).filter((cell) => cell !== null);
  const failing = cells.filter((cell) => cell.failed > 0).length;
  if (cells.length === 0) return `No runs in the last ${rows.length} days`;
  return `Runs in ${plural(cells.length, "hour")} of the last ${rows.length} days; failures in ${failing} of them`;
}
