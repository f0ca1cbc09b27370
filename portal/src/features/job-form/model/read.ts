/** Readers for JSON that people may have written: invalid values become empty. */
export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function texts(value: unknown): string[] {
  return list(value).map(text);
}

export interface Pair {
  name: string;
  value: string;
}

export function pairs(value: unknown): Pair[] {
  return Object.entries(record(value)).map(([name, inner]) => ({ name, value: text(inner) }));
}

/** Rows without a name are not there yet. */
export function fromPairs(rows: Pair[]): Record<string, string> {
  return Object.fromEntries(rows.filter((row) => row.name.trim() !== "").map((row) => [row.name.trim(), row.value]));
}

/** A number, or the text that was typed instead: the server reports the error. */
export function number(given: string): number | string | undefined {
  const trimmed = given.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : trimmed;
}

/** Without undefined values and empty texts, lists and objects. */
export function filled(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const UNITS = ["GiB", "MiB", "KiB"];

/** Bytes as people write them, where nothing is lost by it: `512MiB`. */
export function size(value: unknown): string {
  if (typeof value !== "number") return text(value);
  const exact = UNITS.findIndex((_, index) => value > 0 && value % 1_024 ** (3 - index) === 0);
  return exact < 0 ? String(value) : `${value / 1_024 ** (3 - exact)}${UNITS[exact]}`;
}
