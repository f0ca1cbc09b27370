const HOUR = 3_600_000;
const LENGTHS: Record<string, number> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR };
const MINUTE = 60_000;

export const PERIODS = [
  { value: "", label: "Any time" },
  { value: "hour", label: "Last hour" },
  { value: "day", label: "Last 24 hours" },
  { value: "week", label: "Last 7 days" },
  { value: "month", label: "Last 30 days" },
  { value: "between", label: "Custom range" },
];

/** Since when a period is, by the whole minute: the same query for a while, which is read once. */
export function since(period: string, now: number): string | undefined {
  const length = LENGTHS[period];
  if (length === undefined) return undefined;
  return new Date(Math.floor((now - length) / MINUTE) * MINUTE).toISOString();
}
