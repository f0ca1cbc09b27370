import { cn } from "@/lib/cn";
import type { DayHeat } from "./buckets";
import { HEAT, UNCOUNTED } from "./look";

/** What a cell without a number means. */
export function HeatKey({ heat }: { heat: readonly DayHeat[] }) {
  const seen = new Set(heat.flatMap((day) => day.known));
  return (
    <ul className="mt-2 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      <Sample look={HEAT[0] ?? ""} label="none" />
      {seen.has("uncounted") ? <Sample look={UNCOUNTED} label="not counted" /> : null}
      {seen.has("past") ? <Sample look="border border-line" label="past" /> : null}
    </ul>
  );
}

function Sample({ look, label }: { look: string; label: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className={cn("size-3 rounded-[2px]", look)} />
      {label}
    </li>
  );
}
