import type { ColumnDef } from "@tanstack/react-table";
import { Plus, RadioTower } from "lucide-react";
import { useMemo, useState } from "react";
import type { SinkView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Segments } from "@/components/ui/segments";
import { Time } from "@/components/ui/time";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { useSinks } from "./queries";
import { SinkActions } from "./sink-actions";
import { SinkForm } from "./sink-form";

const SCOPES = [
  { value: "project", label: "This project" },
  { value: "installation", label: "Installation" },
];

export function SinksSection() {
  const can = useCan();
  const [{ scope, cursor }, setUrl] = useUrlState({ scope: "project", cursor: "" });
  const installation = scope === "installation" && can("users:write");
  const sinks = useSinks(installation, cursor);
  const [making, setMaking] = useState(false);
  const columns = useMemo(() => columnsOf(installation), [installation]);
  const make = can("sinks:write") ? (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus /> New sink
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title="Event sinks"
        description={
          installation
            ? "Where the events of all projects are sent, for other systems."
            : "Where the events of this project are sent, for other systems."
        }
        actions={make}
      />
      {can("users:write") ? (
        <div className="mb-3">
          <Segments label="Sinks of" choices={SCOPES} value={scope} onValue={(next) => setUrl({ scope: next })} />
        </div>
      ) : null}
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Event sinks"
          columns={columns}
          list={sinks}
          rowId={(sink) => sink.id}
          empty={
            <EmptyState icon={RadioTower} title="No sinks yet" action={make}>
              A sink sends what happens to runs and jobs to another system, in order and at least once.
            </EmptyState>
          }
        />
      </div>
      <Pager nextCursor={sinks.data?.next_cursor} />
      {making ? <SinkForm installation={installation} onClose={() => setMaking(false)} /> : null}
    </>
  );
}

function columnsOf(installation: boolean): ColumnDef<SinkView>[] {
  return [
    {
      id: "name",
      header: "Name",
      meta: { className: "max-w-40 min-w-28 sm:max-w-56" },
      cell: ({ row: { original: sink } }) => (
        <div className="min-w-0">
          <span className="flex items-center gap-1.5">
            <span className="truncate font-medium" title={sink.name}>
              {sink.name}
            </span>
            {sink.enabled ? null : <Badge tone="cancelled">disabled</Badge>}
            {sink.unreadable ? <Badge tone="failed">unreadable</Badge> : null}
          </span>
          <span className="block truncate text-xs text-muted" title={sink.unreadable ?? sink.address}>
            {sink.unreadable ?? `${sink.kind} · ${sink.address}`}
          </span>
        </div>
      ),
    },
    {
      id: "gets",
      header: "Gets",
      meta: { className: "hidden max-w-56 min-w-32 lg:table-cell" },
      cell: ({ row: { original: sink } }) => <span className="text-soft">{wanted(sink)}</span>,
    },
    {
      id: "state",
      header: "State",
      meta: { className: "max-w-36 sm:max-w-64" },
      cell: ({ row: { original: sink } }) => <State sink={sink} />,
    },
    {
      id: "actions",
      header: () => <span className="sr-only">Actions</span>,
      meta: { className: "w-10 pl-0 sm:w-36" },
      cell: ({ row: { original: sink } }) => <SinkActions sink={sink} installation={installation} />,
    },
  ];
}

function wanted(sink: SinkView): string {
  const only = [...sink.jobs, ...sink.tags.map((tag) => `#${tag}`)];
  return sink.types.join(", ") + (only.length > 0 ? ` of ${only.join(", ")}` : "");
}

function State({ sink }: { sink: SinkView }) {
  const counts = [`${sink.sent.toLocaleString("en")} sent`, `${sink.waiting.toLocaleString("en")} waiting`];
  if (sink.dropped > 0) counts.push(`${sink.dropped.toLocaleString("en")} dropped`);
  return (
    <div className="min-w-0 text-xs">
      <span className="flex flex-wrap items-center gap-1.5 text-muted">
        {sink.failing_since ? (
          <>
            <Badge tone="failed">failing</Badge> since <Time at={sink.failing_since} />
          </>
        ) : sink.last_sent_at ? (
          <>
            <Badge tone="succeeded">ok</Badge> <Time at={sink.last_sent_at} />
          </>
        ) : (
          "nothing sent yet"
        )}
      </span>
      {sink.last_error ? (
        <span className="mt-0.5 block truncate text-failed-text" title={sink.last_error}>
          {sink.last_error}
        </span>
      ) : null}
      <span className="mt-0.5 block text-muted">{counts.join(" · ")}</span>
    </div>
  );
}
