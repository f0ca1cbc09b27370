/** What each role may, in the order of how much. */
export const ROLES = [
  { value: "viewer", hint: "Can view everything except members, keys and secrets." },
  { value: "operator", hint: "Can also run, pause, cancel and redrive." },
  { value: "editor", hint: "Can also create and edit HTTP jobs." },
  { value: "owner", hint: "Can also manage jobs that run code, members, keys, secrets and the audit trail." },
] as const;

export type Role = (typeof ROLES)[number]["value"];
export const ROLE_CHOICES = ROLES.map(({ value }) => ({ value, label: value }));

/** Whether the first may less than the second. */
export function isBelow(role: string, than: string): boolean {
  const place = (value: string) => ROLES.findIndex((one) => one.value === value);
  return place(role) < place(than);
}

/** The roles that a user with this role may grant. */
export function upTo(role: string): { value: string; label: string }[] {
  if (role === "admin") return [...ROLE_CHOICES, { value: "admin", label: "admin" }];
  return ROLE_CHOICES.slice(0, ROLE_CHOICES.findIndex(({ value }) => value === role) + 1);
}
