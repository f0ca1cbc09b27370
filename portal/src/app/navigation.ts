import {
  Activity,
  BellRing,
  Calendar,
  CalendarClock,
  CircleX,
  FunctionSquare,
  HeartPulse,
  LayoutDashboard,
  type LucideIcon,
  Server,
  Settings,
} from "lucide-react";

export interface Destination {
  path: string;
  label: string;
  icon: LucideIcon;
  /** After `g`. */
  key: string;
  /** More words that the command palette finds it by. */
  words?: string;
}

export const navigation: Destination[] = [
  { path: "/", label: "Overview", icon: LayoutDashboard, key: "o", words: "home dashboard charts" },
  { path: "/jobs", label: "Jobs", icon: CalendarClock, key: "j", words: "schedules cron" },
  { path: "/runs", label: "Runs", icon: Activity, key: "r", words: "executions history logs" },
  { path: "/dead-letters", label: "Dead letters", icon: CircleX, key: "d", words: "failed redrive discard" },
  { path: "/alerts", label: "Alerts", icon: BellRing, key: "a", words: "attention problems silence acknowledge" },
  { path: "/pings", label: "Pings", icon: HeartPulse, key: "p", words: "monitors heartbeat cron badges elsewhere" },
  { path: "/calendar", label: "Calendar", icon: Calendar, key: "c", words: "week ahead occurrences" },
  { path: "/workers", label: "Workers", icon: Server, key: "w", words: "schedulers shards slots drain queues" },
  { path: "/functions", label: "Functions", icon: FunctionSquare, key: "f", words: "python tasks registry" },
  {
    path: "/settings",
    label: "Settings",
    icon: Settings,
    key: "s",
    words: "members keys secrets channels notifications sinks events webhooks audit project",
  },
];
