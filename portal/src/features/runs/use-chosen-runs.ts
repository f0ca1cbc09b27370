import type { RowSelectionState } from "@tanstack/react-table";
import { useEffect, useState } from "react";
import type { RunView } from "@/api/schema";

/** The runs that are chosen, over all pages one has been to, each in the state that was last seen of it. */
export function useChosenRuns(page: RunView[] | undefined) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, RunView>>(new Map());
  useEffect(() => {
    setChosen((before) => renewed(before, page ?? []));
  }, [page]);
  const rows: RowSelectionState = Object.fromEntries([...chosen.keys()].map((id) => [id, true]));
  const choose = (selected: RowSelectionState) => setChosen((before) => taken(before, page ?? [], selected));
  return { runs: [...chosen.values()], rows, choose, clear: () => setChosen(new Map()) };
}

/** What is chosen after the table says which rows are. */
export function taken<T extends { id: string }>(
  before: ReadonlyMap<string, T>,
  page: readonly T[],
  selected: RowSelectionState,
): Map<string, T> {
  const known = new Map([...before, ...page.map((one): [string, T] => [one.id, one])]);
  const found = new Map<string, T>();
  for (const [id, one] of known) if (selected[id]) found.set(id, one);
  return found;
}

/** The same, as they are now; the same object if none of them changed. */
export function renewed<T extends { id: string }>(before: ReadonlyMap<string, T>, page: readonly T[]) {
  const changed = page.filter((one) => before.has(one.id) && before.get(one.id) !== one);
  if (changed.length === 0) return before;
  return new Map([...before, ...changed.map((one): [string, T] => [one.id, one])]);
}
