/**
 * The selection in a paginated list: some by id, across visited pages; or all that match, including those not seen
 * yet.
 */
export type Selection = { all: false; ids: ReadonlySet<string> } | { all: true };

export const NONE: Selection = { all: false, ids: new Set() };
export const ALL: Selection = { all: true };

export function isChosen(selection: Selection, id: string): boolean {
  return selection.all || selection.ids.has(id);
}

/** How many are chosen, if `total` match. */
export function countOf(selection: Selection, total: number): number {
  return selection.all ? total : selection.ids.size;
}

/** The rows of a page as a table wants them. */
export function rowsOf(selection: Selection, page: readonly string[]): Record<string, boolean> {
  const ids = selection.all ? page : [...selection.ids];
  return Object.fromEntries(ids.map((id) => [id, true]));
}

/**
 * The selection after a change in the table. Deselecting one of all leaves the others of this page: the API cannot
 * express "all but this one", and users must not discard more than they see.
 */
export function chosenOf(before: Selection, page: readonly string[], rows: Record<string, boolean>): Selection {
  const here = page.filter((id) => rows[id]);
  if (before.all) return here.length === page.length ? before : { all: false, ids: new Set(here) };
  const elsewhere = [...before.ids].filter((id) => !page.includes(id));
  return { all: false, ids: new Set([...elsewhere, ...here]) };
}

/** Whether to offer all that match: the whole page is selected, and there are more. */
export function offersAll(selection: Selection, page: readonly string[], total: number): boolean {
  return !selection.all && page.length > 0 && total > page.length && page.every((id) => selection.ids.has(id));
}
