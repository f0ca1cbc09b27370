import type { ColumnDef } from "@tanstack/react-table";
import { HeartPulse, Plus, SearchX } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import type { PingView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ClearFilters } from "@/components/ui/clear-filters";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SearchInput } from "@/components/ui/search-input";
import { Select } from "@/components/ui/select";
import { Time } from "@/components/ui/time";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { PingForm } from "./ping-form";
import { PingStateBadge } from "./ping-state";
import { usePings } from "./queries";

const DEFAULTS = { q: "", state: "", tag: "", cursor: "" };
const NARROWING = ["q", "state", "tag"] as const;
const STATES = [
  { value: "", label: "Any state" },
  ...["new", "up", "started", "late", "down", "paused"].map((value) => ({ value, label: value })),
];

export default function PingsPage() {
  const can = useCan();
  const navigate = useNavigate();
  const [filters, setFilters] = useUrlState(DEFAULTS);
  const [making, setMaking] = useState(false);
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const pings = usePings({ ...given, limit: 50 });
  const narrowed = NARROWING.some((name) => filters[name] !== "");
  const make = can("pings:write") ? (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus /> New ping
    </Button>
  ) : null;
  const count = pings.data?.items.length ?? 0;
  return (
    <>
      <PageHeader
        title="Pings"
        description="Jobs that run elsewhere, and whether they reported in time."
        actions={make}
      />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search pings"
          value={filters.q}
          onValue={(q) => setFilters({ q })}
          className="w-full sm:w-64"
        />
        <Select aria-label="State" choices={STATES} value={filters.state} onValue={(state) => setFilters({ state })} />
        <ClearFilters filters={filters} names={NARROWING} onChange={setFilters} />
      </div>
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Pings"
          columns={COLUMNS}
          list={pings}
          rowId={(ping) => ping.id}
          empty={
            narrowed ? (
              <EmptyState icon={SearchX} title="No pings match" />
            ) : (
              <EmptyState icon={HeartPulse} title="No pings yet" action={make}>
                A ping watches a job that Horae does not run: a crontab, a backup, a pipeline. The job calls a URL when
                it is done, and an alert opens when the call does not come.
              </EmptyState>
            )
          }
        />
      </div>
      <Pager nextCursor={pings.data?.next_cursor}>{count > 0 ? plural(count, "ping") : ""}</Pager>
      {making ? (
        <PingForm onClose={() => setMaking(false)} onSaved={(ping) => void navigate(`/pings/${ping.id}`)} />
      ) : null}
    </>
  );
}

const COLUMNS: ColumnDef<PingView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { className: "max-w-40 min-w-28 sm:max-w-xs" },
    cell: ({ row: { original: ping } }) => (
      <div className="min-w-0">
        <Link to={`/pings/${ping.id}`} className="block truncate rounded font-medium hover:text-accent hover:underline">
          {ping.name}
        </Link>
        <span className="block truncate text-xs text-muted" title={ping.words ?? undefined}>
          {ping.unreadable ?? ping.words}
        </span>
      </div>
    ),
  },
  { id: "state", header: "State", cell: ({ row: { original: ping } }) => <PingStateBadge ping={ping} /> },
  {
    id: "last",
    header: "Last ping",
    cell: ({ row: { original: ping } }) => <Time at={ping.last_ping_at} none="never" />,
  },
  {
    id: "next",
    header: "Expected",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: ping } }) => <Time at={ping.expected_at} />,
  },
  {
    id: "tags",
    header: "Tags",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: ping } }) => (
      <span className="flex flex-wrap gap-2">
        {ping.tags.map((tag) => (
          <Link
            key={tag}
            to={`?tag=${encodeURIComponent(tag)}`}
            className="rounded text-xs text-muted hover:text-accent"
          >
            #{tag}
          </Link>
        ))}
      </span>
    ),
  },
];
