import { seconds } from "./durations";
import { remember, remembered } from "./storage";

type Instant = string | number | Date;

const ago = (text: string, past: boolean) => (past ? `${text} ago` : `in ${text}`);

/** `in 5 min`, `12 s ago`, `just now`: one unit, the largest. */
export function relative(at: Instant, now: number): string {
  const difference = toMillis(at) - now;
  const past = difference < 0;
  const away = Math.abs(difference) / 1_000;
  if (away < 2) return past ? "just now" : "now";
  if (away < 60) return ago(`${Math.floor(away)} s`, past);
  if (away < 3_600) return ago(`${Math.floor(away / 60)} min`, past);
  if (away < 86_400) return ago(`${Math.floor(away / 3_600)} h`, past);
  if (away < 86_400 * 60) return ago(`${Math.floor(away / 86_400)} d`, past);
  if (away < 86_400 * 730) return ago(`${Math.floor(away / (86_400 * 30.44))} months`, past);
  return ago(`${Math.floor(away / (86_400 * 365.25))} years`, past);
}

/** Until an instant, to the second where it is near: `4 min 12 s`. What is past is `due`. */
export function countdown(at: Instant, now: number): string {
  const left = Math.ceil((toMillis(at) - now) / 1_000);
  return left <= 0 ? "due" : seconds(left);
}

export function toMillis(at: Instant): number {
  return typeof at === "number" ? at : new Date(at).getTime();
}

let chosen = remembered("zone");

/** The zone that times are shown in: the one that the user chose, or else the system's. */
export function userZone(): string {
  return chosen ?? systemZone();
}

export function systemZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function chosenZone(): string | null {
  return chosen;
}

/** Null goes back to the system's. */
export function setUserZone(zone: string | null): void {
  chosen = zone;
  remember("zone", zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(given: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zone = given ?? chosen ?? undefined;
  const key = `${zone}|${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) {
    try {
      found = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
    } catch {
      found = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }); // a zone this browser does not know
    }
    formats.set(key, found);
  }
  return found;
}

/** `Mon, 14 Jul 2025, 09:00:03 GMT+2` in a zone, the user's own unless given. */
export function absolute(at: Instant, zone?: string): string {
  return format(zone, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(toMillis(at));
}

/** `14 Jul, 09:00`: for tables and axes. */
export function brief(at: Instant, zone?: string): string {
  return format(zone, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(toMillis(at));
}

/** `14 Jul, 09:00:03` in a sentence: with the year where it is another one, and by another clock than one's own with
 * that clock's name. */
export function exactly(at: Instant, now: number, zone?: string): string {
  const sameYear = new Date(toMillis(at)).getUTCFullYear() === new Date(now).getUTCFullYear();
  return format(zone, {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(zone && zone !== userZone() ? { timeZoneName: "short" } : {}),
  }).format(toMillis(at));
}

/** How instants within a period are formatted: by time of day, with the date if the period is long. */
export function momentOf(from: Instant, to: Instant, zone?: string): (at: Instant) => string {
  return toMillis(to) - toMillis(from) < 20 * 3_600_000 ? (at) => clock(at, zone) : (at) => brief(at, zone);
}

/** `09:00:03`. */
export function clock(at: Instant, zone?: string): string {
  return format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(toMillis(at));
}
