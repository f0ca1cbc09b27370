import { cn } from "@/lib/cn";
import type { LiveState } from "@/live/connection";
import { useLiveState } from "@/live/live";

const SAID: Record<LiveState, [text: string, colour: string]> = {
  live: ["Live", "bg-succeeded"],
  connecting: ["Connecting…", "bg-paused"],
  polling: ["Disconnected", "bg-failed"],
  asleep: ["Paused", "bg-cancelled"],
};

export function LiveDot() {
  const [text, colour] = SAID[useLiveState()];
  return (
    <span className="flex items-center gap-2 text-xs text-muted">
      <span aria-hidden className={cn("size-2 shrink-0 rounded-full", colour)} />
      {text}
    </span>
  );
}
