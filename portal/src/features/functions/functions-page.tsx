import { FunctionSquare, Plus, SearchX } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SearchInput } from "@/components/ui/search-input";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { AddFunction } from "./add-function";
import { functionColumns } from "./function-columns";
import { FunctionSheet } from "./function-sheet";
import { useFunctions } from "./queries";

export default function FunctionsPage() {
  const [{ q, cursor, function: name }, set] = useUrlState({ q: "", cursor: "", function: "" });
  const functions = useFunctions(cursor);
  const can = useCan();
  const [adding, setAdding] = useState(false);
  const sought = q.toLowerCase();
  const rows = functions.data?.items.filter((one) =>
    [one.name, one.display_name, one.description].some((text) => text.toLowerCase().includes(sought)),
  );
  return (
    <>
      <PageHeader
        title="Functions"
        description="Python functions registered by workers or by their path, with their parameters."
        actions={
          can("functions:write") ? (
            <Button onClick={() => setAdding(true)}>
              <Plus /> Register by path
            </Button>
          ) : undefined
        }
      />
      <SearchInput
        label="Search functions"
        value={q}
        onValue={(next) => set({ q: next })}
        className="mb-3 w-full sm:w-64"
      />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Functions"
          columns={functionColumns}
          list={functions}
          rows={rows}
          rowId={(one) => one.name}
          empty={q ? <NoMatch /> : <NoFunctions />}
        />
      </div>
      <Pager nextCursor={functions.data?.next_cursor}>
        {rows?.length ? `${plural(rows.length, "function")} on this page` : ""}
      </Pager>
      {adding ? <AddFunction onClose={() => setAdding(false)} /> : null}
      {name ? <FunctionSheet name={name} onClose={() => set({ function: null })} /> : null}
    </>
  );
}

function NoMatch() {
  return (
    <EmptyState icon={SearchX} title="No functions match">
      Try another name or description.
    </EmptyState>
  );
}

function NoFunctions() {
  return (
    <EmptyState icon={FunctionSquare} title="No functions yet">
      Mark a Python function with <code className="font-mono text-xs">@horae.task</code> and start a worker with{" "}
      <code className="font-mono text-xs">horae worker --import my.tasks</code>. It appears here with its parameters,
      and jobs can call it.
    </EmptyState>
  );
}
