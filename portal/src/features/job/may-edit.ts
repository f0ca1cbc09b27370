/** Definitions of all kinds but http are code that workers execute: to change, switch or delete them takes a permission
 * of its own. */
export function mayEdit(can: (permission: string) => boolean, kind: unknown): boolean {
  return can("jobs:write") && (kind === "http" || can("jobs:code"));
}
