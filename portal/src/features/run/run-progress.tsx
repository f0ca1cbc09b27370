import type { RunDetailView } from "@/api/schema";
import { Progress } from "@/components/ui/progress";

/** How far it is, as it says itself. */
export function RunProgress({ run }: { run: RunDetailView }) {
  const progress = progressOf(run.progress);
  if (!progress || (run.status !== "running" && run.status !== "queued")) return null;
  return (
    <div className="rounded-lg border border-line bg-surface px-4 py-3">
      <div className="mb-1.5 flex justify-between gap-4 text-sm">
        <span className="min-w-0 truncate">{progress.note ?? "Progress"}</span>
        <span className="text-muted">{Math.round(progress.fraction * 100)} %</span>
      </div>
      <Progress value={progress.fraction} label="Progress of the run" />
    </div>
  );
}

export function progressOf(value: unknown): { fraction: number; note: string | null } | null {
  if (typeof value !== "object" || value === null || !("fraction" in value)) return null;
  const { fraction } = value;
  if (typeof fraction !== "number") return null;
  const note = "note" in value && typeof value.note === "string" && value.note !== "" ? value.note : null;
  return { fraction: Math.min(1, Math.max(0, fraction)), note };
}
