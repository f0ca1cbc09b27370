import type { Span } from "./ansi";
import type { LogLine } from "./log-lines";

export interface Shown {
  /** One stream alone; all of them if empty. */
  stream: string;
  /** One attempt alone; all of them if 0. */
  attempt: number;
  /** What is sought. */
  text: string;
}

/**
 * Which lines of a growing log are shown, and which of those match the search. Incremental: new lines are checked once,
 * and the last line again, which may have grown.
 */
export class LogView {
  /** Indices of the lines that are shown; null if all are. */
  readonly rows: number[] | null;
  /** Rows that match the search. */
  readonly hits: number[] = [];
  private readonly sought: string;
  private seen = 0;

  constructor(
    private readonly lines: readonly LogLine[],
    private readonly shown: Shown,
  ) {
    this.rows = shown.stream === "" && shown.attempt === 0 ? null : [];
    this.sought = shown.text.toLowerCase();
  }

  get count(): number {
    return this.rows?.length ?? this.lines.length;
  }

  line(row: number): LogLine | undefined {
    return this.lines[this.rows ? (this.rows[row] ?? -1) : row];
  }

  /** Looks at what came since the last time. */
  update(): void {
    if (this.seen > 0) this.forget(this.seen - 1);
    for (let index = Math.max(0, this.seen - 1); index < this.lines.length; index += 1) this.look(index);
    this.seen = this.lines.length;
  }

  private look(index: number): void {
    const line = this.lines[index];
    if (!line || !this.wants(line)) return;
    this.rows?.push(index);
    const row = this.rows ? this.rows.length - 1 : index;
    if (this.sought !== "" && line.text.toLowerCase().includes(this.sought)) this.hits.push(row);
  }

  private wants(line: LogLine): boolean {
    const { stream, attempt } = this.shown;
    return (stream === "" || line.stream === stream) && (attempt === 0 || line.attempt === attempt);
  }

  private forget(index: number): void {
    if (this.rows && this.rows[this.rows.length - 1] !== index) return;
    const row = this.rows ? this.rows.length - 1 : index;
    if (this.hits[this.hits.length - 1] === row) this.hits.pop();
    this.rows?.pop();
  }
}

export interface Part {
  text: string;
  look: string;
  hit: boolean;
}

/** A line in parts that look alike: its colours, and what is sought in it. */
export function partsOf(text: string, spans: readonly Span[] | undefined, sought: string): Part[] {
  const marks = occurrences(text, sought);
  if (!spans?.length && marks.length === 0) return [{ text, look: "", hit: false }];
  const edges = new Set([0, text.length]);
  for (const [from, to] of [...(spans ?? []), ...marks])
    edges.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((from, index) => ({
    text: text.slice(from, sorted[index + 1]),
    look: spans?.findLast(([start, end]) => start <= from && from < end)?.[2] ?? "",
    hit: marks.some(([start, end]) => start <= from && from < end),
  }));
}

function occurrences(text: string, sought: string): [number, number][] {
  if (sought === "") return [];
  const hay = text.toLowerCase();
  const needle = sought.toLowerCase();
  const found: [number, number][] = [];
  for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + needle.length)) {
    found.push([at, at + needle.length]);
  }
  return found;
}
