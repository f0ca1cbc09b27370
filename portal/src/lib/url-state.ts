import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";

export type UrlValues = Record<string, string | null | undefined>;

/**
 * State of a page in its address: `const [filters, set] = useUrlState({ q: "", status: "", sort: "name" })`.
 * What equals its default is left out. Setting replaces the entry in the history, unless `push` is given; it also
 * drops `cursor`, because a page of other filters is another page.
 */
export function useUrlState<T extends Record<string, string>>(given: T) {
  const [params, setParams] = useSearchParams();
  const [defaults] = useState(given); // a new object at each render, but always equal
  const values = useMemo(() => readUrl(params, defaults), [params, defaults]);
  const set = useCallback(
    (changes: Partial<Record<keyof T & string, string | null>>, options: { push?: boolean } = {}) => {
      setParams((before) => changed(before, changes as UrlValues, defaults), { replace: !options.push });
    },
    [setParams, defaults],
  );
  return [values, set] as const;
}

export function readUrl<T extends Record<string, string>>(params: URLSearchParams, defaults: T): T {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(defaults)) found[name] = params.get(name) ?? value;
  return found as T;
}

export function changed(
  before: URLSearchParams,
  changes: UrlValues,
  defaults: Record<string, string>,
): URLSearchParams {
  const next = new URLSearchParams(before);
  if (!("cursor" in changes)) next.delete("cursor");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "" || value === defaults[name]) next.delete(name);
    else next.set(name, value);
  }
  return next;
}
