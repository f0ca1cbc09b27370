import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download, ScrollText, SearchX } from "lucide-react";
import { useState } from "react";
import { call, callRaw } from "@/api/client";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SkeletonLines } from "@/components/ui/skeleton";
import { saveAs } from "@/lib/save";
import { toastError } from "@/lib/toasts";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { AuditEntry } from "./audit-entry";
import { AuditFilters, DEFAULTS, isNarrowed, queryOf } from "./audit-filters";

export function AuditSection() {
  const can = useCan();
  const [filters, set] = useUrlState(DEFAULTS);
  const [opened] = useState(Date.now);
  const query = { ...queryOf(filters, opened), limit: 50 };
  const audit = useQuery({
    queryKey: ["audit", "list", query],
    queryFn: ({ signal }) => call("GET /audit", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Every change, append-only."
        actions={<Export query={queryOf({ ...filters, cursor: "" }, opened)} />}
      />
      <AuditFilters filters={filters} mayAll={can("users:read")} onChange={(change) => set(change)} />
      {audit.error && !audit.data ? <ErrorState error={audit.error} onRetry={() => void audit.refetch()} /> : null}
      {audit.isPending ? <SkeletonLines lines={8} /> : null}
      {audit.data ? (
        <ol aria-label="Audit trail" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {audit.data.items.map((entry) => (
            <AuditEntry key={entry.id} entry={entry} onFilter={(change) => set(change, { push: true })} />
          ))}
          {audit.data.items.length === 0 ? <li>{isNarrowed(filters) ? <NoMatch /> : <Nothing />}</li> : null}
        </ol>
      ) : null}
      <Pager nextCursor={audit.data?.next_cursor} />
    </>
  );
}

/** All entries that match the filters, as JSON lines. */
function Export({ query }: { query: Record<string, string | boolean> }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const answer = await callRaw("GET /audit", { query: { ...query, format: "jsonl" } });
      saveAs(await answer.blob(), "audit.jsonl");
    } catch (error) {
      toastError("Could not export the audit trail", error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={busy} onClick={() => void save()}>
      <Download /> Export
    </Button>
  );
}

function NoMatch() {
  return (
    <EmptyState icon={SearchX} title="No entries match">
      Clear a filter or choose a longer time range.
    </EmptyState>
  );
}

function Nothing() {
  return (
    <EmptyState icon={ScrollText} title="No changes yet">
      Every change is recorded here: who made it, from where, and what changed.
    </EmptyState>
  );
}
