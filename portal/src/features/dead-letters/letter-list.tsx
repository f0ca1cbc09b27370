import { CircleCheckBig } from "lucide-react";
import { useState } from "react";
import type { DeadLetterFilter } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Pager } from "@/components/ui/pager";
import { ALL, chosenOf, countOf, isChosen, NONE, offersAll, rowsOf } from "@/lib/selection";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { LetterBulk } from "./letter-bulk";
import { letterColumns } from "./letter-columns";
import { useDeadCount, useDeadLetters } from "./queries";

interface LetterListProps {
  filter: DeadLetterFilter;
  cursor: string;
}

/** Dead letters one by one, with what can be done with many of them. */
export function LetterList({ filter, cursor }: LetterListProps) {
  const letters = useDeadLetters({ ...filter, ...(cursor ? { cursor } : {}), limit: 50 });
  const { total, more } = useDeadCount(filter);
  const [selection, setSelection] = useState(NONE);
  const can = useCan();
  const rows = letters.data?.items;
  const page = rows?.map((letter) => letter.id) ?? [];
  const choosing = can("dead_letters:resolve");
  const matching = `${total.toLocaleString("en-US")}${more ? "+" : ""}`;
  return (
    <>
      <div className="rounded-lg border border-line bg-surface">
        {offersAll(selection, page, total) ? (
          <p role="status" className="border-b border-line bg-accent-soft px-4 py-2 text-center text-sm">
            All {page.length} on this page are selected.{" "}
            <Button variant="link" size="sm" onClick={() => setSelection(ALL)}>
              Select all {matching} that match
            </Button>
          </p>
        ) : null}
        <DataTable
          caption="Dead letters"
          columns={letterColumns}
          list={letters}
          rows={rows}
          rowId={(letter) => letter.id}
          rowLabel={(letter) => `the run of ${letter.job_name}`}
          empty={
            <EmptyState icon={CircleCheckBig} title="Nothing left here">
              All of them have been redriven or discarded.
            </EmptyState>
          }
          {...(choosing
            ? {
                selected: rowsOf(selection, page),
                onSelect: (chosen) => setSelection((before) => chosenOf(before, page, chosen)),
              }
            : {})}
        />
        <div className="border-t border-line px-3 pb-2 empty:hidden">
          <Pager nextCursor={letters.data?.next_cursor}>{rows ? `${plural(total, "dead letter")} match` : ""}</Pager>
        </div>
      </div>
      <LetterBulk
        selection={selection}
        filter={filter}
        count={countOf(selection, total)}
        example={rows?.find((letter) => isChosen(selection, letter.id))?.input}
        onClear={() => setSelection(NONE)}
      />
    </>
  );
}
