import { type ReactNode, useMemo, useState } from "react";
import { cn } from "@/lib/cn";
import type { LogLine } from "@/lib/log-lines";
import { LogView, type Shown } from "@/lib/log-view";
import { LogRow } from "./log-row";
import { LogToolbar } from "./log-toolbar";
import { VirtualList } from "./virtual-list";

interface LogViewerProps {
  lines: LogLine[];
  /** Incremented with every line added to the same array. */
  version: number;
  /** Whether more may come: then it starts at the end, and stays there. */
  live: boolean;
  /** Whether it starts at the end anyway: errors are there. */
  fromEnd?: boolean;
  /** Shown while there are no lines. */
  empty: ReactNode;
  /** More buttons, such as a download. */
  actions?: ReactNode;
  className?: string;
}

const ROW = 20; // px
const LEAST = 8; // rows of a log that is short
const MOST = 24;

/** A log of any length: only visible lines are rendered. Follows the end, searches, and shows everything as text. */
export function LogViewer({ lines, version, live, fromEnd = false, empty, actions, className }: LogViewerProps) {
  const [follow, setFollow] = useState(live || fromEnd);
  const [shown, setShown] = useState<Shown>({ stream: "", attempt: 0, text: "" });
  const [at, setAt] = useState(0);
  const view = useMemo(() => new LogView(lines, shown), [lines, shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array grows in place, and the version changes
  const { count, hits } = useMemo(() => {
    view.update();
    return { count: view.count, hits: view.hits.length };
  }, [view, version]);
  const place = hits === 0 ? 0 : at % hits;
  const current = hits === 0 ? null : (view.hits[place] ?? null);
  const step = (by: number) => {
    setFollow(false);
    setAt((place + by + hits) % Math.max(hits, 1));
  };
  const change = (changes: Partial<Shown>) => {
    setShown((before) => ({ ...before, ...changes }));
    setAt(0);
    if (changes.text) setFollow(false);
  };
  return (
    <div className={cn("rounded-lg border border-line bg-surface", className)}>
      <LogToolbar
        shown={shown}
        onShown={change}
        attempts={lines[lines.length - 1]?.attempt ?? 0}
        hits={hits}
        at={place}
        onStep={step}
        follow={follow}
        onFollow={setFollow}
        actions={actions}
      />
      {count === 0 ? (
        <div className="flex h-40 items-center justify-center px-4 text-sm text-muted">
          {lines.length === 0 ? empty : "No lines match."}
        </div>
      ) : (
        <VirtualList
          count={count}
          rowHeight={ROW}
          label="Log"
          follow={follow}
          onFollow={(on) => setFollow(on && shown.text === "")}
          scrollTo={current}
          height={Math.min(MOST, Math.max(LEAST, count)) * ROW + 16}
          className="rounded-b-lg bg-page py-1 font-mono text-xs leading-5"
        >
          {(row) => {
            const line = view.line(row);
            return (
              <LogRow
                line={line}
                number={(view.rows?.[row] ?? row) + 1}
                sought={shown.text}
                current={row === current}
                length={line?.text.length ?? 0}
                digits={Math.max(2, String(lines.length).length)}
              />
            );
          }}
        </VirtualList>
      )}
    </div>
  );
}
