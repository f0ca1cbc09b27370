import type { Json } from "./read";

export interface Merged {
  value: Json;
  /** Where both changed the same thing, and differently: mine was taken. */
  conflicts: string[];
  /** What the other one changed, and mine did not. */
  taken: string[];
}

/** Brings two edits of the same definition together: what only one of them changed is as that one has it. */
export function merged(base: Json, mine: Json, theirs: Json): Merged {
  const found: Merged = { value: {}, conflicts: [], taken: [] };
  found.value = walk(base, mine, theirs, "", found) as Json;
  return found;
}

function walk(base: unknown, mine: unknown, theirs: unknown, path: string, found: Merged): unknown {
  if (same(mine, theirs)) return mine;
  if (same(base, mine)) {
    found.taken.push(path);
    return theirs;
  }
  if (same(base, theirs)) return mine;
  if (isObject(base) && isObject(mine) && isObject(theirs) && !another(mine, theirs)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)]);
    const entries = [...names].map((name): [string, unknown] => [
      name,
      walk(base[name], mine[name], theirs[name], path ? `${path}.${name}` : name, found),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  found.conflicts.push(path);
  return mine;
}

const WHAT_IT_IS = ["kind", "cron", "every", "at", "after", "manual"];

/** Whether two targets or schedules are of different kinds: half of one and half of the other makes none. */
function another(mine: Json, theirs: Json): boolean {
  return WHAT_IT_IS.some((name) => (name === "kind" ? mine.kind !== theirs.kind : name in mine !== name in theirs));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => same(one, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

export const equal = same;
