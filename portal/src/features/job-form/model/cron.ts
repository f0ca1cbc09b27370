/** Schedules that most people want, without having to know cron. */
export type Rhythm = "minutes" | "hourly" | "daily" | "weekly" | "monthly";

export interface SimpleCron {
  rhythm: Rhythm;
  /** For `minutes`: every so many. For `hourly`: at this minute. */
  minute: number;
  hour: number;
  days: string[];
  /** 1 to 31, or `L` for the last. */
  day: string;
}

export const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];
const WEEKDAYS = "MON-FRI";

export const SIMPLE: Record<Rhythm, SimpleCron> = {
  minutes: { rhythm: "minutes", minute: 15, hour: 0, days: [], day: "1" },
  hourly: { rhythm: "hourly", minute: 0, hour: 0, days: [], day: "1" },
  daily: { rhythm: "daily", minute: 0, hour: 9, days: [], day: "1" },
  weekly: { rhythm: "weekly", minute: 0, hour: 9, days: DAYS.slice(0, 5), day: "1" },
  monthly: { rhythm: "monthly", minute: 0, hour: 9, days: [], day: "1" },
};

export function cronOf({ rhythm, minute, hour, days, day }: SimpleCron): string {
  switch (rhythm) {
    case "minutes":
      return `*/${minute} * * * *`;
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekly":
      return `${minute} ${hour} * * ${daysText(days)}`;
    case "monthly":
      return `${minute} ${hour} ${day} * *`;
  }
}

function daysText(days: string[]): string {
  const text = DAYS.filter((day) => days.includes(day)).join(",");
  return text === "MON,TUE,WED,THU,FRI" ? WEEKDAYS : text || "MON";
}

const NUMBER = /^\d{1,2}$/;

/** What the helpers can show of an expression; null where it says more than they can. */
export function simpleOf(cron: string): SimpleCron | null {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...rest] = cron.trim().split(/\s+/);
  if (rest.length > 0 || month !== "*") return null;
  if (hour === "*") return day === "*" && weekday === "*" ? withinHours(minute) : null;
  if (!NUMBER.test(minute) || !NUMBER.test(hour)) return null;
  return atTimes({ minute: Number(minute), hour: Number(hour) }, day, weekday);
}

function withinHours(minute: string): SimpleCron | null {
  const step = /^\*\/(\d{1,2})$/.exec(minute);
  if (step) return { ...SIMPLE.minutes, minute: Number(step[1]) };
  return NUMBER.test(minute) ? { ...SIMPLE.hourly, minute: Number(minute) } : null;
}

function atTimes(at: { minute: number; hour: number }, day: string, weekday: string): SimpleCron | null {
  if (weekday === "*") {
    if (day === "*") return { ...SIMPLE.daily, ...at };
    return day === "L" || NUMBER.test(day) ? { ...SIMPLE.monthly, ...at, day } : null;
  }
  const days = day === "*" ? daysOf(weekday) : null;
  return days && { ...SIMPLE.weekly, ...at, days };
}

function daysOf(text: string): string[] | null {
  if (text.toUpperCase() === WEEKDAYS || text === "1-5") return DAYS.slice(0, 5);
  const days = text.split(",").map((word) => {
    const named = DAYS.find((day) => day === word.toUpperCase());
    return named ?? (/^[0-7]$/.test(word) ? DAYS[(Number(word) + 6) % 7] : undefined);
  });
  return days.every((day) => day !== undefined) ? days : null;
}
