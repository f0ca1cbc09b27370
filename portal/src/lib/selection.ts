/**
 * What is chosen in a list with pages: some by their ids, over all pages that one has been to; or all that match, also
 * those that one has not seen.
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
 * What is chosen after the table says what it has. Taking one away from all leaves the others of this page: there are
 * no words for "all but this one" in the API, and nobody should discard more than they see.
 */
export function chosenOf(before: Selection, page: readonly string[], rows: Record<string, boolean>): Selection {
  const here = page.filter((id) => rows[id]);
  if (before.all) return here.length === page.length ? before : { all: false, ids: new Set(here) };
  const elsewhere = [...before.ids].filter((id) => !page.includes(id));
  return { all: false, ids: new Set([...elsewhere, ...here]) };
}

/** Whether to offer all that match: the whole page is chosen, and there is more. */
export function offersAll(selection: Selection, page: readonly string[], total: number): boolean {
  return !selection.all && page.length > 0 && total > page.length && page.every((id) => selection.ids.has(id));
}
