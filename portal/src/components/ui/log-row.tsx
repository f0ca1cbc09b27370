import { memo, type ReactNode, useState } from "react";
import { cn } from "@/lib/cn";
import type { LogLine } from "@/lib/log-lines";
import { partsOf } from "@/lib/log-view";
import { clock } from "@/lib/times";
import { plural } from "@/lib/words";
import { CopyButton } from "./copy-button";
import { Dialog } from "./dialog";

const STREAMS: Record<string, string> = { stderr: "text-failed-text", system: "text-muted italic" };
const LONGEST = 2_000; // characters of a line that are shown in its row

interface LogRowProps {
  line: LogLine | undefined;
  number: number;
  sought: string;
  /** The current match. */
  current: boolean;
  /** Changes when a line grows. */
  length: number;
  /** The width of the line numbers. */
  digits: number;
}

export const LogRow = memo(function LogRow({ line, number, sought, current, digits }: LogRowProps) {
  if (!line) return null;
  const cut = line.text.length > LONGEST;
  return (
    <div className={cn("flex h-5 gap-3 px-3 whitespace-pre", current && "bg-accent-soft")}>
      <span aria-hidden className="shrink-0 text-right text-muted select-none" style={{ width: `${digits}ch` }}>
        {number}
      </span>
      <span className="hidden shrink-0 text-muted select-none sm:inline">{clock(line.at)}</span>
      {line.stream === "stdout" ? null : <span className="sr-only">{line.stream}: </span>}
      <span className={STREAMS[line.stream]}>
        {marked(cut ? line.text.slice(0, LONGEST) : line.text, line, sought)}
      </span>
      {cut ? <TheRest text={line.text} /> : null}
    </div>
  );
});

function marked(text: string, line: LogLine, sought: string): ReactNode {
  return partsOf(text, line.spans, sought).map((part, index) => {
    if (part.hit) {
      return (
        <mark key={index} className="rounded-[2px] bg-paused-soft text-paused-text">
          {part.text}
        </mark>
      );
    }
    return part.look ? (
      <span key={index} className={part.look}>
        {part.text}
      </span>
    ) : (
      part.text
    );
  });
}

function TheRest({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="sticky right-2 h-5 rounded bg-sunken px-1.5 font-sans text-accent hover:underline"
      >
        +{plural(text.length - LONGEST, "character")}
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Full line"
        description={plural(text.length, "character")}
        className="max-w-4xl"
        footer={<CopyButton text={text} label="Copy line" />}
      >
        <pre className="font-mono text-xs break-all whitespace-pre-wrap">{text}</pre>
      </Dialog>
    </>
  );
}
