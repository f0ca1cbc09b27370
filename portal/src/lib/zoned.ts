/** Wall clocks of time zones, for fields of date and time. */

function parts(at: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const found = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Minutes that the clock of a zone is ahead of UTC at an instant; 0 for a zone this browser does not know. */
export function offsetAt(at: number, zone: string): number {
  try {
    return Math.round((parts(at, zone) - Math.floor(at / 1_000) * 1_000) / 60_000);
  } catch {
    return 0;
  }
}

/** An instant as a field shows it: `2026-12-01T09:00` by the clock of the zone. */
export function toWall(instant: string, zone: string): string {
  const at = new Date(instant).getTime();
  if (Number.isNaN(at)) return "";
  const wall = new Date(at + offsetAt(at, zone) * 60_000).toISOString();
  return wall.slice(17, 19) === "00" ? wall.slice(0, 16) : wall.slice(0, 19);
}

/** What a field says, as an instant with the zone's offset at that time; empty where it says nothing yet. */
export function fromWall(wall: string, zone: string): string {
  const naive = new Date(`${wall}Z`).getTime();
  if (wall === "" || Number.isNaN(naive)) return "";
  let offset = offsetAt(naive, zone);
  offset = offsetAt(naive - offset * 60_000, zone); // again: the first guess was off by the offset itself
  const sign = offset < 0 ? "-" : "+";
  const minutes = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, "0");
  const full = wall.length === 16 ? `${wall}:00` : wall;
  return `${full}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
