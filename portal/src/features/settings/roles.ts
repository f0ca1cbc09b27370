/** What each role may, in the order of how much. */
export const ROLES = [
  { value: "viewer", hint: "Sees everything but members, keys and secrets." },
  { value: "operator", hint: "Also runs, pauses, cancels and redrives." },
  { value: "editor", hint: "Also makes and changes jobs that call URLs." },
  { value: "owner", hint: "Also jobs that run code, members, keys, secrets, the audit trail." },
] as const;

export type Role = (typeof ROLES)[number]["value"];
export const ROLE_CHOICES = ROLES.map(({ value }) => ({ value, label: value }));

/** Those that somebody may give who has this one. */
export function upTo(role: string): { value: string; label: string }[] {
  if (role === "admin") return [...ROLE_CHOICES, { value: "admin", label: "admin" }];
  return ROLE_CHOICES.slice(0, ROLE_CHOICES.findIndex(({ value }) => value === role) + 1);
}
