import { useMemo } from "react";
import { type DiffLine, diffLines } from "@/lib/diff";

interface DiffViewProps {
  before: string;
  after: string;
  /** Lines shown around each change. */
  context?: number;
}

const LOOK = { same: "", added: "bg-succeeded-soft text-succeeded-text", removed: "bg-failed-soft text-failed-text" };
const SIGN = { same: " ", added: "+", removed: "−" };

/** What differs between two texts; use `stableJson` for objects. */
export function DiffView({ before, after, context = 3 }: DiffViewProps) {
  const lines = useMemo(() => around(diffLines(before, after), context), [before, after, context]);
  if (lines.length === 0) return <p className="text-sm text-muted">No differences.</p>;
  return (
    <div className="overflow-x-auto rounded-md border border-line font-mono text-xs leading-5">
      <table className="w-full border-collapse">
        <caption className="sr-only">Differences, line by line</caption>
        <tbody>
          {lines.map((line) =>
            "gap" in line ? <Gap key={`gap ${line.gap}`} /> : <Line key={`${line.old} ${line.new}`} line={line} />,
          )}
        </tbody>
      </table>
    </div>
  );
}

function Line({ line }: { line: DiffLine }) {
  return (
    <tr className={LOOK[line.kind]}>
      <td className="w-10 px-2 text-right text-muted select-none">{line.old}</td>
      <td className="w-10 px-2 text-right text-muted select-none">{line.new}</td>
      <td className="px-2 whitespace-pre-wrap break-words">
        <span aria-hidden>{SIGN[line.kind]} </span>
        {line.kind === "same" ? null : <span className="sr-only">{line.kind}: </span>}
        {line.text}
      </td>
    </tr>
  );
}

function Gap() {
  return (
    <tr className="bg-sunken text-muted">
      <td colSpan={3} className="px-2 text-center select-none">
        …
      </td>
    </tr>
  );
}

type Shown = DiffLine | { gap: number };

export function around(lines: DiffLine[], context: number): Shown[] {
  const near = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  });
  const shown: Shown[] = [];
  let skipped = false;
  lines.forEach((line, index) => {
    if (near.has(index)) {
      if (skipped && shown.length > 0) shown.push({ gap: index });
      skipped = false;
      shown.push(line);
    } else skipped = true;
  });
  return shown;
}
