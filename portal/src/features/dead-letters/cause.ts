import type { DeadGroupView } from "@/api/schema";

/** What went wrong, in the words of the program; its exit code is shown beside it. */
export function causeOf(group: Pick<DeadGroupView, "error">): string {
  return group.error?.replace(/^exit code \d+: /, "") ?? "No error recorded";
}
