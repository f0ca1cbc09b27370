import type { DeadGroupView } from "@/api/schema";

/** What went wrong, in the program's words; its exit code is shown next to it. */
export function causeOf(group: Pick<DeadGroupView, "error">): string {
  return group.error?.replace(/^exit code \d+: /, "") ?? "No error recorded";
}
