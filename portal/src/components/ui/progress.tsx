import { cn } from "@/lib/cn";

interface ProgressProps {
  /** From 0 to 1; null while the total is unknown. */
  value: number | null;
  label: string;
  className?: string;
}

export function Progress({ value, label, className }: ProgressProps) {
  const percent = value === null ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cn("h-1.5 w-full overflow-hidden rounded-full bg-hover", className)}
    >
      <div
        className={cn("h-full rounded-full bg-accent transition-[width]", value === null && "w-1/3 animate-pulse")}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  );
}
