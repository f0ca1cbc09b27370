import type { ReactNode } from "react";
import { cn } from "@/lib/cn";

export const TONES = {
  neutral: "bg-sunken text-soft",
  accent: "bg-accent-soft text-accent",
  succeeded: "bg-succeeded-soft text-succeeded-text",
  failed: "bg-failed-soft text-failed-text",
  running: "bg-running-soft text-running-text",
  queued: "bg-queued-soft text-queued-text",
  cancelled: "bg-cancelled-soft text-cancelled-text",
  skipped: "bg-skipped-soft text-skipped-text",
  paused: "bg-paused-soft text-paused-text",
  scheduled: "bg-scheduled-soft text-scheduled-text",
};
export type Tone = keyof typeof TONES;

interface BadgeProps {
  tone?: Tone;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone = "neutral", className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        "inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3.5",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
