import type { CalendarEntryView } from "@/api/schema";
import { fromWall, offsetAt } from "@/lib/zoned";

const MINUTE = 60_000;
const STEP = 15 * MINUTE; // no clock changes within one
const DAY = 86_400_000;

/** A wall clock, in minutes since 1970 as if it were UTC; offsets are looked up once for each quarter of an hour. */
export function wallClock(zone: string): (at: number) => number {
  const offsets = new Map<number, number>();
  return (at) => {
    const step = Math.floor(at / STEP);
    let offset = offsets.get(step);
    if (offset === undefined) {
      offset = offsetAt(step * STEP, zone);
      offsets.set(step, offset);
    }
    return Math.floor(at / MINUTE) + offset;
  };
}

const two = (value: number) => String(value).padStart(2, "0");

/** `2026-05-01`, of a wall clock's minutes. */
export function dayOf(wall: number): string {
  return new Date(wall * MINUTE).toISOString().slice(0, 10);
}

export function clockOf(wall: number): string {
  const minutes = ((wall % 1_440) + 1_440) % 1_440;
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export function today(now: number, zone: string): string {
  return dayOf(wallClock(zone)(now));
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** The days of a view, each by its date. */
export function daysFrom(day: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(day, index));
}

/** When an hour of a day begins in a zone; `hour` may be 24, which is the next day's first. */
export function beginning(day: string, hour: number, zone: string): string {
  const date = hour >= 24 ? addDays(day, 1) : day;
  return new Date(fromWall(`${date}T${two(hour % 24)}:00`, zone)).toISOString();
}

/** What a count covers: everything that starts then, only a part of it, or nothing since the hour is over. */
export type Known = "counted" | "uncounted" | "past";

export interface DayHeat {
  /** How many begin in each hour, by the clock. An hour that comes twice is one of both. */
  hours: number[];
  /** What is known of each hour. */
  known: Known[];
  /** And in each minute of the day. */
  minutes: number[];
  total: number;
}

/** From when on there are counts, and before when all of them are there; in ms. */
export interface Counted {
  from: number;
  until: number;
}

/** Counts by the minute, as the API gives them, by days and hours of a zone. */
export function heatOf(
  items: readonly CalendarEntryView[],
  days: readonly string[],
  zone: string,
  counted: Counted,
): DayHeat[] {
  const heat = days.map((day) => ({
    hours: Array<number>(24).fill(0),
    known: knownOf(day, zone, counted),
    minutes: Array<number>(1_440).fill(0),
    total: 0,
  }));
  const clock = wallClock(zone);
  const first = Date.parse(`${days[0]}T00:00:00Z`) / MINUTE;
  for (const { at, count } of items) {
    const within = clock(Date.parse(at)) - first;
    const day = heat[Math.floor(within / 1_440)];
    const minute = within % 1_440;
    if (!day || minute < 0) continue;
    const many = count ?? 1;
    day.minutes[minute] = (day.minutes[minute] ?? 0) + many;
    const hour = Math.floor(minute / 60);
    day.hours[hour] = (day.hours[hour] ?? 0) + many;
    day.total += many;
  }
  return heat;
}

function knownOf(day: string, zone: string, { from, until }: Counted): Known[] {
  return Array.from({ length: 24 }, (_, hour) => {
    const end = Date.parse(beginning(day, hour + 1, zone));
    if (end <= from) return "past";
    return end <= until ? "counted" : "uncounted";
  });
}

export type Level = 0 | 1 | 2 | 3 | 4;

/** How hot a count is among others: 0 is nothing, 2 the usual, 3 more than that, 4 the hottest of those. */
export function scaleOf(counts: readonly number[]): (count: number) => Level {
  const known = counts.filter((count) => count > 0).sort((a, b) => a - b);
  const usual = known[Math.floor((known.length - 1) / 2)] ?? 0;
  const most = known.at(-1) ?? 0;
  return (count) => {
    if (count <= 0) return 0;
    if (count <= usual * 1.2) return count < usual / 2 ? 1 : 2;
    return count >= usual * 1.5 && count >= most * 0.8 ? 4 : 3;
  };
}

/** The minutes in which most begins, more than one each; the earlier of equals first. */
export function hottest(items: readonly CalendarEntryView[], most: number): { at: string; count: number }[] {
  return items
    .map(({ at, count }) => ({ at, count: count ?? 1 }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count || (a.at < b.at ? -1 : 1))
    .slice(0, most);
}

export interface AgendaRow {
  jobId: string;
  jobName: string;
  day: string;
  first: string;
  last: string;
  count: number;
}

/** Occurrences as a list to read: those of one job within one hour are one row. */
export function agenda(items: readonly CalendarEntryView[], zone: string): AgendaRow[] {
  const clock = wallClock(zone);
  const rows = new Map<string, AgendaRow>();
  for (const { at, job_id: jobId, job_name: jobName } of items) {
    const wall = clock(Date.parse(at));
    const key = `${Math.floor(wall / 60)} ${jobId}`;
    const row = rows.get(key);
    if (row) {
      row.last = at;
      row.count += 1;
    } else {
      rows.set(key, { jobId: jobId ?? "", jobName: jobName ?? "", day: dayOf(wall), first: at, last: at, count: 1 });
    }
  }
  return [...rows.values()];
}
