/** By level, 0 to 4: see `level`. */
export const HEAT = [
  "bg-sunken",
  "bg-accent/15 text-text",
  "bg-accent/25 text-text",
  "bg-accent/40 text-text",
  "bg-accent text-on-accent",
];

/** Hours that were not counted: neither busy nor idle. */
export const UNCOUNTED = "hatched text-muted";

const names = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", timeZone: "UTC" });
const full = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });

/** `Fri 1`, of a date. */
export function dayName(day: string): string {
  return names.format(Date.parse(`${day}T00:00:00Z`));
}

/** `Friday 1 May`. */
export function dayTitle(day: string): string {
  return full.format(Date.parse(`${day}T00:00:00Z`));
}
