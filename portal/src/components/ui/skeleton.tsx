import { cn } from "@/lib/cn";

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("h-4 animate-pulse rounded bg-hover", className)} />;
}

/** A few placeholder lines while data is loading. */
export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="space-y-3">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={`line ${line + 1}`} className={line % 3 === 2 ? "w-2/3" : "w-full"} />
      ))}
    </div>
  );
}
