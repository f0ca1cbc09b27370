import { duration, seconds } from "@/lib/durations";
import { useFromNow } from "@/lib/now";
import { toMillis } from "@/lib/times";

interface Run {
  status: string;
  started_at: string | null;
  duration_ms: number | null;
}

/** How long it took, or has been at it so far. */
export function RunDuration({ run }: { run: Run }) {
  if (run.status === "running" && run.started_at) return <SoFar since={run.started_at} />;
  return <span className={run.duration_ms === null ? "text-muted" : undefined}>{duration(run.duration_ms)}</span>;
}

function SoFar({ since }: { since: string }) {
  const text = useFromNow((now) => seconds(Math.max(0, (now - toMillis(since)) / 1_000)));
  return <span className="text-running-text">{text}</span>;
}
