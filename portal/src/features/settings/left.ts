import type { LeftView } from "@/api/schema";

/** What follows "Disabled ada": the keys that outlive it, which somebody may want to revoke. */
export function leftBehind(left: LeftView): string {
  const keys = left.keys.filter((key) => !key.revoked).map((key) => `${key.name} (${key.role}, ${key.project})`);
  return keys.length > 0 ? `. API keys they made still work: ${keys.join(", ")}` : "";
}
