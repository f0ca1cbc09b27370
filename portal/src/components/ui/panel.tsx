import type { ReactNode } from "react";
import { cn } from "@/lib/cn";

interface PanelProps {
  title?: ReactNode;
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A part of a page, with a line around it. */
export function Panel({ title, actions, className, children }: PanelProps) {
  return (
    <section className={cn("rounded-lg border border-line bg-surface", className)}>
      {title || actions ? (
        <div className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          <div className="flex gap-2">{actions}</div>
        </div>
      ) : null}
      <div className="p-4">{children}</div>
    </section>
  );
}
