import type { JobNumbers } from "@/api/schema";
import { count } from "@/lib/durations";

/** Which jobs do not run as scheduled. Not the number of enabled jobs: that includes paused ones. */
export function switchedOff({ paused, disabled }: Pick<JobNumbers, "paused" | "disabled">): string {
  const found = [paused > 0 && `${count(paused)} paused`, disabled > 0 && `${count(disabled)} disabled`].filter(
    Boolean,
  );
  return found.join(", ") || "all enabled";
}
