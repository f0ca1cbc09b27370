import {
  Ban,
  CalendarClock,
  Check,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CirclePlay,
  CircleSlash,
  CircleStop,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  PlugZap,
  TimerOff,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import type { Tone } from "./badge";

export interface Look {
  tone: Tone;
  icon: LucideIcon;
}

/** How each state of a run, attempt, job, worker or operation looks. A shape for each, not a colour alone. */
const LOOKS: Record<string, Look> = {
  queued: { tone: "queued", icon: Hourglass },
  running: { tone: "running", icon: CirclePlay },
  parked: { tone: "running", icon: Clock },
  succeeded: { tone: "succeeded", icon: CircleCheck },
  failed: { tone: "failed", icon: CircleX },
  cancelled: { tone: "cancelled", icon: Ban },
  skipped: { tone: "skipped", icon: CircleSlash },
  timed_out: { tone: "failed", icon: TimerOff },
  lost: { tone: "failed", icon: Unplug },
  interrupted: { tone: "paused", icon: PlugZap },
  scheduled: { tone: "scheduled", icon: CalendarClock },
  paused: { tone: "paused", icon: CirclePause },
  unreadable: { tone: "failed", icon: TriangleAlert },
  disabled: { tone: "cancelled", icon: CircleSlash },
  finished: { tone: "neutral", icon: Check },
  idle: { tone: "succeeded", icon: CircleDashed },
  busy: { tone: "running", icon: CirclePlay },
  draining: { tone: "paused", icon: CirclePause },
  stopped: { tone: "neutral", icon: CircleStop },
  active: { tone: "succeeded", icon: CircleCheck },
  standby: { tone: "neutral", icon: CircleDashed },
  offline: { tone: "failed", icon: Unplug },
  new: { tone: "neutral", icon: CircleDashed },
  up: { tone: "succeeded", icon: CircleCheck },
  started: { tone: "running", icon: CirclePlay },
  late: { tone: "paused", icon: Clock },
  down: { tone: "failed", icon: CircleX },
  done: { tone: "succeeded", icon: Check },
};

export function lookOf(status: string): Look {
  return LOOKS[status] ?? { tone: "neutral", icon: CircleDashed };
}
