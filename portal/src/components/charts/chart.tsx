import { lazy, Suspense } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { chunk } from "@/lib/chunk";
import type { ChartViewProps } from "./chart-view";

export type { Series } from "./chart-view";

const View = lazy(() => chunk(() => import("./chart-view")));

interface ChartProps extends ChartViewProps {
  /** What it shows, in one sentence with the figures: for screen readers. */
  label: string;
}

/** A chart, loaded with its library on first use. Its height is fixed, so that nothing jumps. */
export function Chart({ label, ...props }: ChartProps) {
  return (
    <div role="img" aria-label={label} className="h-52 w-full min-w-0 overflow-hidden">
      <Suspense fallback={<Skeleton className="h-full w-full" />}>
        <View {...props} />
      </Suspense>
    </div>
  );
}
