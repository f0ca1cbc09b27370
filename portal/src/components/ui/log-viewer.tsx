import { ArrowDownToLine, ChevronDown, ChevronUp } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { cn } from "@/lib/cn";
import { found, type LogLine } from "@/lib/log-lines";
import { clock } from "@/lib/times";
import { Button } from "./button";
import { Input } from "./input";
import { VirtualList } from "./virtual-list";

interface LogViewerProps {
  lines: LogLine[];
  /** Raised with every line that is added to the same array. */
  version: number;
  /** More buttons: a download, say. */
  actions?: ReactNode;
  className?: string;
}

const STREAMS: Record<string, string> = { stderr: "text-failed-text", system: "text-muted italic" };

/** A log of any length: only what is seen is rendered. Follows its end, searches, and shows everything as text. */
export function LogViewer({ lines, version, actions, className }: LogViewerProps) {
  const [follow, setFollow] = useState(true);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array grows in place, and the version tells
  const hits = useMemo(() => found(lines, text), [lines, text, version]);
  const current = hits.length === 0 ? null : (hits[at % hits.length] ?? null);
  const step = (by: number) => {
    setFollow(false);
    setAt((before) => (before + by + hits.length) % Math.max(hits.length, 1));
  };
  return (
    <div className={cn("rounded-md border border-line", className)}>
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <Input
          type="search"
          aria-label="Search in the log"
          placeholder="Search in the log"
          data-page-search
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
            if (event.target.value) setFollow(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          }}
          className="w-48 flex-1 sm:max-w-64"
        />
        <span role="status" className="min-w-16 text-xs text-muted">
          {text ? (hits.length === 0 ? "none" : `${(at % hits.length) + 1} of ${hits.length}`) : ""}
        </span>
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label="Previous match"
          disabled={hits.length === 0}
          onClick={() => step(-1)}
        >
          <ChevronUp />
        </Button>
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label="Next match"
          disabled={hits.length === 0}
          onClick={() => step(1)}
        >
          <ChevronDown />
        </Button>
        <span className="ml-auto flex items-center gap-2">
          <Button
            size="sm"
            variant={follow ? "primary" : "secondary"}
            aria-pressed={follow}
            onClick={() => setFollow(!follow)}
          >
            <ArrowDownToLine /> Follow
          </Button>
          {actions}
        </span>
      </div>
      <VirtualList
        count={lines.length}
        rowHeight={20}
        label="Log"
        follow={follow}
        onFollow={setFollow}
        scrollTo={current}
        className="h-[28rem] bg-page py-1 font-mono text-xs leading-5"
      >
        {(index) => <Line line={lines[index]} number={index + 1} marked={index === current} />}
      </VirtualList>
    </div>
  );
}

function Line({ line, number, marked }: { line: LogLine | undefined; number: number; marked: boolean }) {
  if (!line) return null;
  return (
    <div className={cn("flex gap-3 px-3 whitespace-pre", marked && "bg-accent-soft")}>
      <span aria-hidden className="w-12 shrink-0 text-right text-muted select-none">
        {number}
      </span>
      <span className="hidden shrink-0 text-muted select-none sm:inline">{clock(line.at)}</span>
      <span className={STREAMS[line.stream]}>{line.text}</span>
    </div>
  );
}
