export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  /** Line numbers, from 1; null where the line is not in that text. */
  old: number | null;
  new: number | null;
}

const MOST = 4_000_000; // cells of the table: beyond that all of the old goes and all of the new comes

/** The lines of two texts, by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): Change => ["same", text];
  return numbered([...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]);
}

type Change = [DiffLine["kind"], string];

function changes(a: string[], b: string[]): Change[] {
  if (a.length * b.length > MOST) {
    return [...a.map((text): Change => ["removed", text]), ...b.map((text): Change => ["added", text])];
  }
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return walk(a, b, at);
}

function walk(a: string[], b: string[], common: (i: number, j: number) => number): Change[] {
  const found: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const old = a[i];
    const now = b[j];
    if (old !== undefined && old === now) {
      found.push(["same", old]);
      i += 1;
      j += 1;
    } else if (old !== undefined && (now === undefined || common(i + 1, j) >= common(i, j + 1))) {
      found.push(["removed", old]);
      i += 1;
    } else if (now !== undefined) {
      found.push(["added", now]);
      j += 1;
    }
  }
  return found;
}

function numbered(list: Change[]): DiffLine[] {
  let old = 0;
  let now = 0;
  return list.map(([kind, text]) => {
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
    return { kind, text, old: kind === "added" ? null : old, new: kind === "removed" ? null : now };
  });
}

/** JSON with its keys in order, so that only what differs differs. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner), 2);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
