import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";

interface FoldProps {
  title: ReactNode;
  /** A summary of the folded content. */
  summary?: ReactNode;
  /** Opens it automatically: something in it needs attention. */
  needed?: boolean;
  children: ReactNode;
}

/** A section that is folded until it is needed. */
export function Fold({ title, summary, needed = false, children }: FoldProps) {
  const [open, setOpen] = useState(needed);
  useEffect(() => {
    if (needed) setOpen(true);
  }, [needed]);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-md border border-line"
    >
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-2 rounded-md px-3 py-2 text-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
        <span className="font-medium">{title}</span>
        {summary ? <span className="min-w-0 text-xs text-muted">{summary}</span> : null}
      </summary>
      {open ? <div className="space-y-4 border-t border-line p-3">{children}</div> : null}
    </details>
  );
}
