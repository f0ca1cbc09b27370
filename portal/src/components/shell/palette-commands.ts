import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Activity, BookOpen, CalendarClock, LogOut, type LucideIcon, Monitor, Moon, Plus, Sun } from "lucide-react";
import { useDeferredValue } from "react";
import { call } from "@/api/client";
import { navigation } from "@/app/navigation";
import { setTheme } from "@/lib/theme";
import { signOut } from "@/session/session";
import { useCan } from "@/session/use-can";

export interface Command {
  id: string;
  label: string;
  kind: string;
  icon: LucideIcon;
  path?: string;
  run?: () => void;
  words?: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ACTIONS: Command[] = [
  { id: "light", label: "Light theme", kind: "command", icon: Sun, run: () => setTheme("light") },
  { id: "dark", label: "Dark theme", kind: "command", icon: Moon, run: () => setTheme("dark") },
  { id: "system", label: "System theme", kind: "command", icon: Monitor, run: () => setTheme("system") },
  {
    id: "docs",
    label: "API reference",
    kind: "page",
    icon: BookOpen,
    run: () => location.assign("/docs"),
    words: "documentation openapi rest",
  },
  { id: "out", label: "Sign out", kind: "command", icon: LogOut, run: () => void signOut() },
];

export function usePaletteCommands(text: string): Command[] {
  const can = useCan();
  const sought = useDeferredValue(text.trim());
  const jobs = useQuery({
    queryKey: ["jobs", "list", { q: sought, limit: 8 }],
    queryFn: ({ signal }) => call("GET /jobs", { query: { q: sought, limit: 8 }, signal }),
    enabled: sought !== "" && sought.length <= 200,
    placeholderData: keepPreviousData,
  });
  const pages: Command[] = navigation.map((to) => ({ ...to, id: to.path, kind: "page" }));
  const own = can("jobs:write")
    ? [{ id: "new", label: "New job", kind: "command", icon: Plus, path: "/jobs/new", words: "create add" }]
    : [];
  const found = sought === "" ? [] : (jobs.data?.items ?? []);
  return [
    ...[...pages, ...own, ...ACTIONS].filter((command) => fits(command, text)),
    ...found.map((job) => ({ id: job.id, label: job.name, kind: "job", icon: CalendarClock, path: `/jobs/${job.id}` })),
    ...byId(sought),
  ];
}

export function fits(command: Command, text: string): boolean {
  const hay = `${command.label} ${command.words ?? ""}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}

function byId(text: string): Command[] {
  if (!ID.test(text)) return [];
  return [
    { id: "run", label: `Run ${text}`, kind: "run", icon: Activity, path: `/runs/${text}` },
    { id: "job", label: `Job ${text}`, kind: "job", icon: CalendarClock, path: `/jobs/${text}` },
  ];
}
