import { userZone } from "@/lib/times";
import { addDays, beginning, daysFrom, isDay, today } from "./buckets";

export const DEFAULTS = { view: "week", day: "", hour: "", zone: "", tag: "", queue: "", q: "" };
export type State = typeof DEFAULTS;

export interface View {
  days: string[];
  zone: string;
  week: boolean;
  /** The hour that is zoomed in on, of the first day of the view. */
  hour: number | null;
  start: string;
  end: string;
  filter: { tag?: string; queue?: string; q?: string };
}

/** What the address asks for; what it says wrongly is as if it were not there. */
export function viewOf(state: State, now: number): View {
  const zone = known(state.zone) ? state.zone : userZone();
  const first = isDay(state.day) ? state.day : today(now, zone);
  const week = state.view !== "day";
  const days = daysFrom(first, week ? 7 : 1);
  const hour = /^\d{1,2}$/.test(state.hour) && Number(state.hour) < 24 && !week ? Number(state.hour) : null;
  const filter = Object.fromEntries(
    (["tag", "queue", "q"] as const).filter((name) => state[name] !== "").map((name) => [name, state[name]]),
  );
  const end = beginning(addDays(first, days.length - 1), 24, zone);
  return { days, zone, week, hour, start: beginning(first, 0, zone), end, filter };
}

function known(zone: string): boolean {
  try {
    return zone !== "" && new Intl.DateTimeFormat("en-GB", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}
