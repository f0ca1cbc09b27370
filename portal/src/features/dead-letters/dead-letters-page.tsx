import { ArrowLeft, CircleCheckBig, SearchX } from "lucide-react";
import { useState } from "react";
import type { DeadLetterFilter } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { causeOf } from "./cause";
import { DeadFilters } from "./dead-filters";
import { DEFAULTS, filterOf, isNarrowed } from "./filters";
import { GroupList } from "./group-list";
import { LetterList } from "./letter-list";
import { useDeadGroups } from "./queries";

export default function DeadLettersPage() {
  const [filters, setFilters] = useUrlState(DEFAULTS);
  const [opened] = useState(Date.now);
  const filter = filterOf(filters, opened);
  const single = filters.fingerprint !== "";
  return (
    <>
      <PageHeader title="Dead letters" description="Failed runs with no attempts left. Redrive or discard them." />
      <DeadFilters filters={filters} onChange={setFilters} />
      {single ? <Cause filter={filter} onBack={() => setFilters({ fingerprint: null }, { push: true })} /> : null}
      {single || filters.view === "all" ? (
        <LetterList key={JSON.stringify(filter)} filter={filter} cursor={filters.cursor} />
      ) : (
        <div className="rounded-lg border border-line bg-surface">
          <Causes filter={filter} cursor={filters.cursor} narrowed={isNarrowed(filters)} />
        </div>
      )}
    </>
  );
}

/** What the letters of an opened group have in common. */
function Cause({ filter, onBack }: { filter: DeadLetterFilter; onBack: () => void }) {
  const groups = useDeadGroups({ ...filter, limit: 200 });
  const cause = groups.data?.items[0];
  return (
    <div className="mb-3 flex items-start gap-2">
      <Button variant="ghost" size="icon" aria-label="Back to all causes" onClick={onBack}>
        <ArrowLeft />
      </Button>
      <h2 className="min-w-0 pt-1.5 text-sm font-medium break-words">{cause ? causeOf(cause) : "One cause"}</h2>
    </div>
  );
}

interface CausesProps {
  filter: DeadLetterFilter;
  cursor: string;
  narrowed: boolean;
}

function Causes({ filter, cursor, narrowed }: CausesProps) {
  const groups = useDeadGroups({ ...filter, ...(cursor ? { cursor } : {}), limit: 200 });
  if (groups.error && !groups.data) return <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />;
  if (!groups.data) {
    return (
      <div className="p-4">
        <SkeletonLines lines={6} />
      </div>
    );
  }
  const items = groups.data.items;
  if (items.length === 0) {
    return narrowed ? (
      <EmptyState icon={SearchX} title="No dead letters match">
        Clear a filter or choose a longer time range.
      </EmptyState>
    ) : (
      <EmptyState icon={CircleCheckBig} title="No dead letters">
        A run that fails on its last attempt ends up here until you redrive or discard it.
      </EmptyState>
    );
  }
  const total = items.reduce((sum, group) => sum + group.count, 0);
  return (
    <>
      <GroupList groups={items} filter={filter} />
      <div className="border-t border-line px-3 pb-2">
        <Pager nextCursor={groups.data.next_cursor}>
          {plural(total, "dead letter")} by {plural(items.length, "cause")}
        </Pager>
      </div>
    </>
  );
}
