import type { ReactNode } from "react";
import { Link } from "react-router";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/cn";

interface TileProps {
  label: string;
  /** Undefined while it is being read. */
  value: ReactNode;
  note?: ReactNode;
  to: string;
  bad?: boolean;
}

/** One figure, and a link. */
export function Tile({ label, value, note, to, bad = false }: TileProps) {
  return (
    <Link to={to} className="rounded-lg border border-line bg-surface px-4 py-3 hover:border-control">
      <span className="block text-xs text-muted">{label}</span>
      {value === undefined ? (
        <Skeleton className="mt-2 h-6 w-16" />
      ) : (
        <span className={cn("mt-0.5 block text-2xl font-semibold tracking-tight", bad && "text-failed-text")}>
          {value}
        </span>
      )}
      <span className="mt-0.5 block min-h-4 text-xs text-muted">{note}</span>
    </Link>
  );
}
