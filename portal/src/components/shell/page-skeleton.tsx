import { Skeleton, SkeletonLines } from "@/components/ui/skeleton";

export function PageSkeleton() {
  return (
    <div className="mx-auto max-w-7xl p-6">
      <Skeleton className="mb-6 h-7 w-48" />
      <SkeletonLines lines={8} />
    </div>
  );
}
