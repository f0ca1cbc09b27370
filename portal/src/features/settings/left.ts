import type { LeftView } from "@/api/schema";

/** The option shown before a user is removed. */
export const REVOKE_KEYS = {
  label: "Revoke the API keys they created",
  hint: "Programs that use them stop working within seconds. Otherwise the keys keep working.",
};

/** What follows "Disabled ada": the keys that outlive it, and those that do not. */
export function leftBehind(left: LeftView): string {
  const named = (revoked: boolean) =>
    left.keys.filter((key) => key.revoked === revoked).map((key) => `${key.name} (${key.role}, ${key.project})`);
  const [gone, kept] = [named(true), named(false)];
  return [
    gone.length > 0 ? `. Revoked their API keys: ${gone.join(", ")}` : "",
    kept.length > 0 ? `. API keys they created still work: ${kept.join(", ")}` : "",
  ].join("");
}
