import { X } from "lucide-react";
import type { ReactNode } from "react";
import { plural } from "@/lib/words";
import { Button } from "./button";

interface BulkBarProps {
  count: number;
  noun: string;
  onClear: () => void;
  children: ReactNode;
}

/** Actions on the selected rows; hidden if there are none. */
export function BulkBar({ count, noun, onClear, children }: BulkBarProps) {
  if (count === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label={`With ${plural(count, noun)}`}
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full animate-appear flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 shadow-lg"
    >
      <span className="text-sm font-medium">{plural(count, noun)}</span>
      {children}
      <Button variant="ghost" size="icon-sm" aria-label="Clear selection" onClick={onClear}>
        <X />
      </Button>
    </div>
  );
}
