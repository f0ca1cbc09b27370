import { useState } from "react";
import type { AttemptView, RunView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { lookOf } from "@/components/ui/status";
import { StatusBadge } from "@/components/ui/status-badge";
import { cn } from "@/lib/cn";
import { duration, seconds } from "@/lib/durations";
import { useFromNow } from "@/lib/now";
import { absolute, momentOf } from "@/lib/times";
import { barOf, lengthOf, type Scale, scaleOf, ticksOf } from "./scale";
import { type Segment, segmentsOf } from "./segments";

interface RunTimelineProps {
  run: RunView;
  attempts: AttemptView[];
}

const MOST = 14; // rows before the middle is folded away
const FILLS: Record<string, string> = {
  ahead: "bg-scheduled-soft border border-scheduled/60",
  waiting: "bg-queued",
  backoff: "bg-paused-soft border border-dashed border-paused",
  succeeded: "bg-succeeded",
  failed: "bg-failed",
  running: "bg-running",
  cancelled: "bg-cancelled",
  paused: "bg-paused",
};

/** Waiting, attempts and backoff one below the other, on one axis to scale: a drawing that is also a table. */
export function RunTimeline({ run, attempts }: RunTimelineProps) {
  const [all, setAll] = useState(false);
  const live = run.status === "queued" || run.status === "running";
  const now = useFromNow((at) => (live ? at : 0)) || Date.now();
  const segments = segmentsOf(run, attempts).filter(({ from, to }) => to !== null || from <= now); // not future ones
  if (segments.length === 0) return <p className="text-sm text-muted">Ended before it started.</p>;
  const scale = scaleOf(segments, now);
  const folded = !all && segments.length > MOST ? segments.length - MOST : 0;
  const shown = folded ? [...segments.slice(0, MOST / 2), ...segments.slice(-MOST / 2)] : segments;
  return (
    <div>
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">Timeline of this run</caption>
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="w-px pr-3 pb-1 font-medium whitespace-nowrap">
              Phase
            </th>
            <th scope="col" className="pb-1 font-normal">
              <span className="sr-only">To scale</span>
              <Axis scale={scale} />
            </th>
            <th scope="col" className="w-px pb-1 pl-3 text-right font-medium">
              Took
            </th>
            <th scope="col" className="hidden w-px pb-1 pl-4 font-medium whitespace-nowrap md:table-cell">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((segment) => (
            <Row key={`${segment.kind} ${segment.from}`} segment={segment} scale={scale} now={now} />
          ))}
        </tbody>
      </table>
      {folded ? (
        <Button variant="link" size="sm" onClick={() => setAll(true)}>
          Show {folded} more in the middle
        </Button>
      ) : null}
    </div>
  );
}

function Axis({ scale }: { scale: Scale }) {
  const span = scale.to - scale.from;
  return (
    <span aria-hidden className="relative block h-4 min-w-24">
      {ticksOf(scale).map((tick, index) => (
        <span
          key={tick}
          className={cn("absolute whitespace-nowrap", index % 4 > 0 && "hidden sm:inline")}
          style={{ left: `${(tick / span) * 100}%`, transform: tick / span > 0.94 ? "translateX(-100%)" : undefined }}
        >
          {tick === 0 ? "0" : tick % 1_000 === 0 ? seconds(tick / 1_000) : duration(tick)}
        </span>
      ))}
    </span>
  );
}

function Row({ segment, scale, now }: { segment: Segment; scale: Scale; now: number }) {
  const { left, width } = barOf(segment, scale, now);
  const look = segment.outcome ? lookOf(segment.outcome).tone : segment.kind;
  return (
    <tr>
      <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
        <span className="flex items-center gap-2">
          {segment.label}
          {segment.outcome ? <StatusBadge status={segment.outcome} className="hidden sm:inline-flex" /> : null}
        </span>
      </th>
      <td className="relative py-1">
        <span aria-hidden className="relative block h-3.5 rounded-sm bg-sunken">
          <span
            className={cn("absolute inset-y-0 min-w-[3px] rounded-sm", FILLS[look] ?? "bg-control")}
            style={{ left: `min(${left}%, calc(100% - 3px))`, width: `${width}%` }}
          />
        </span>
      </td>
      <td className="py-1 pl-3 text-right whitespace-nowrap">{duration(segment.took ?? lengthOf(segment, now))}</td>
      <td className="hidden py-1 pl-4 whitespace-nowrap text-muted md:table-cell">
        <time dateTime={new Date(segment.from).toISOString()} title={absolute(segment.from)}>
          {momentOf(scale.from, scale.to)(segment.from)}
        </time>
      </td>
    </tr>
  );
}
