/** Definitions of all kinds but http are code that workers execute: changing, enabling, disabling and deleting them
 * requires a separate permission. */
export function mayEdit(can: (permission: string) => boolean, kind: unknown): boolean {
  return can("jobs:write") && (kind === "http" || can("jobs:code"));
}
