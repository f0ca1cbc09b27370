import type { PingView } from "@/api/schema";
import { StatusBadge } from "@/components/ui/status-badge";

const REASONS = { failed: "failed", late: "did not report in time", overrun: "takes too long" };

export function PingStateBadge({ ping }: { ping: PingView }) {
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <StatusBadge status={ping.unreadable ? "unreadable" : ping.state} />
      {ping.state === "down" && ping.reason ? (
        <span className="text-xs text-failed-text">{REASONS[ping.reason]}</span>
      ) : null}
    </span>
  );
}
