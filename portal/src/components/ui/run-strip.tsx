import { Link } from "react-router";
import { cn } from "@/lib/cn";
import { duration } from "@/lib/durations";
import { relative } from "@/lib/times";
import { said } from "@/lib/words";
import type { Tone } from "./badge";
import { lookOf } from "./status";

export interface StripRun {
  id: string;
  status: string;
  finished_at: string | null;
  duration_ms: number | null;
}

const SOLID: Partial<Record<Tone, string>> = {
  succeeded: "bg-succeeded",
  failed: "bg-failed",
  running: "bg-running animate-pulse",
  queued: "bg-queued",
  cancelled: "bg-cancelled",
  skipped: "bg-skipped",
  paused: "bg-paused",
};
// Height repeats the colour: failed runs are tall, runs that never started are short.
const HEIGHT: Record<string, string> = { failed: "h-5", skipped: "h-2", cancelled: "h-2.5", queued: "h-2.5" };

interface RunStripProps {
  /** Newest first, as in the API; shown with the newest on the right. */
  runs: StripRun[];
  slots?: number;
}

/** The last results of a job at a glance. */
export function RunStrip({ runs, slots = 20 }: RunStripProps) {
  const shown = runs.slice(0, slots).reverse();
  const failed = shown.filter((run) => run.status === "failed").length;
  if (shown.length === 0) return <span className="text-xs text-muted">no runs yet</span>;
  return (
    <ul
      className="flex h-5 min-w-0 items-end gap-0.5"
      aria-label={`Last ${shown.length} runs, ${failed} failed, newest on the right`}
    >
      {shown.map((run) => (
        <li key={run.id} className="flex h-5 w-1.5 min-w-1 items-end">
          <Link
            to={`/runs/${run.id}`}
            tabIndex={-1}
            title={`${said(run.status)}${run.finished_at ? `, ${relative(run.finished_at, Date.now())}` : ""}${run.duration_ms === null ? "" : `, ${duration(run.duration_ms)}`}`}
            className={cn(
              "block w-full rounded-[1px] hover:opacity-70",
              SOLID[lookOf(run.status).tone] ?? "bg-control",
              HEIGHT[run.status] ?? "h-3.5",
            )}
          >
            <span className="sr-only">{said(run.status)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
