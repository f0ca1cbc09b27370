import type { ReactNode } from "react";
import { cn } from "@/lib/cn";

interface KeyValuesProps {
  /** Pairs in order; those whose value is null or undefined are left out. */
  items: [label: string, value: ReactNode][];
  className?: string;
}

export function KeyValues({ items, className }: KeyValuesProps) {
  return (
    <dl className={cn("grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-2 text-sm", className)}>
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
