import type { ColumnDef } from "@tanstack/react-table";
import { Plus } from "lucide-react";
import { Link } from "react-router";
import type { FunctionView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Switch } from "@/components/ui/switch";
import { Time } from "@/components/ui/time";
import { plural, sameWords } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { parametersOf } from "./parameters";
import { useOfferers, useSwitchFunction } from "./queries";

export const functionColumns: ColumnDef<FunctionView>[] = [
  {
    id: "name",
    header: "Function",
    meta: { className: "max-w-48 min-w-32 sm:max-w-72" },
    cell: ({ row: { original: one } }) => (
      <div className="min-w-0">
        <Link
          to={`?function=${encodeURIComponent(one.name)}`}
          className="block truncate rounded font-mono text-xs font-medium hover:text-accent hover:underline"
        >
          {one.name}
        </Link>
        <span className="line-clamp-2 text-xs text-muted">{firstLine(one)}</span>
      </div>
    ),
  },
  {
    id: "parameters",
    header: "Parameters",
    meta: { className: "hidden max-w-60 md:table-cell" },
    cell: ({ row: { original: one } }) => <Takes one={one} />,
  },
  {
    id: "queue",
    header: "Queue",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: one } }) => <span className="text-soft">{one.queue ?? "–"}</span>,
  },
  {
    id: "offered",
    header: "Offered by",
    cell: ({ row: { original: one } }) =>
      one.import_error ? (
        <Badge tone="failed">cannot be imported</Badge>
      ) : (
        <Offered name={one.name} lastSeen={one.last_seen_at} />
      ),
  },
  {
    id: "active",
    header: "Active",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: one } }) => <ActiveSwitch one={one} />,
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "pl-0 text-right" },
    cell: ({ row: { original: one } }) => <CreateJob one={one} brief />,
  },
];

function firstLine({ display_name: title, name, description }: FunctionView): string {
  const [line = ""] = description.split("\n");
  return title && !sameWords(title, name) ? [title, line].filter(Boolean).join(": ") : line;
}

function Takes({ one }: { one: FunctionView }) {
  const parameters = parametersOf(one.parameters);
  if (parameters.length === 0) return <span className="text-muted">none</span>;
  return (
    <span className="line-clamp-2 font-mono text-xs break-words text-soft">
      {parameters.map(({ name, required }) => (required ? name : `${name}?`)).join(", ")}
    </span>
  );
}

export function Offered({ name, lastSeen }: { name: string; lastSeen: string }) {
  const offerers = useOfferers()(name);
  if (offerers.length > 0) {
    return (
      <Link
        to={`/workers?q=${encodeURIComponent(`python:${name}`)}`}
        className="rounded whitespace-nowrap hover:text-accent hover:underline"
      >
        {plural(offerers.length, "worker")}
      </Link>
    );
  }
  return (
    <span className="text-xs whitespace-nowrap text-muted">
      none since <Time at={lastSeen} />
    </span>
  );
}

export function ActiveSwitch({ one }: { one: FunctionView }) {
  const can = useCan();
  const change = useSwitchFunction();
  if (!can("functions:write")) {
    return one.is_active ? <span className="text-soft">yes</span> : <Badge tone="paused">not active</Badge>;
  }
  return <Switch checked={one.is_active} label={`${one.name} is active`} onChecked={(active) => change(one, active)} />;
}

/** A job that calls it runs code on workers: only for users who may define such jobs. */
export function CreateJob({ one, brief = false }: { one: FunctionView; brief?: boolean }) {
  const can = useCan();
  if (!can("jobs:write") || !can("jobs:code") || !one.is_active) return null;
  return (
    <Button size={brief ? "sm" : "md"} variant={brief ? "secondary" : "primary"} asChild>
      <Link
        to={`/jobs/new?function=${encodeURIComponent(one.name)}`}
        aria-label={brief ? `Create a job from ${one.name}` : undefined}
      >
        <Plus /> {brief ? "Job" : "Create job"}
      </Link>
    </Button>
  );
}
