import { TriangleAlert } from "lucide-react";
import type { TroubleView } from "@/api/schema";
import { Time } from "@/components/ui/time";

const TASKS: Record<string, string> = {
  claim: "claim runs",
  report: "report results",
  deadlines: "enforce timeouts",
  neighbours: "detect dead workers",
  functions: "register its functions",
  fire: "fire schedules",
  sweep: "recover runs",
  upkeep: "delete expired data",
};

/** What it fails to do: stands after "failing to". */
function tasked(trouble: TroubleView): string {
  return TASKS[trouble.loop] ?? trouble.loop;
}

/** A step of a worker or a scheduler that keeps failing though its heartbeat is fine. */
export function TroubleNote({ trouble }: { trouble: TroubleView }) {
  return (
    <p className="mt-2 flex gap-2 rounded bg-failed-soft px-2 py-1.5 text-xs text-failed-text">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        Keeps failing to {tasked(trouble)} (began <Time at={trouble.since} />
        ): {trouble.reason}
      </span>
    </p>
  );
}
