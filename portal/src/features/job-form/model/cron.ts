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
  const step = /^\*\/(\d{1,2})$/.exec(minute);
  if (step && hour === "*" && day === "*" && weekday === "*") return { ...SIMPLE.minutes, minute: Number(step[1]) };
  if (!NUMBER.test(minute)) return null;
  const at = { minute: Number(minute), hour: Number(hour) };
  if (hour === "*") return day === "*" && weekday === "*" ? { ...SIMPLE.hourly, minute: at.minute } : null;
  if (!NUMBER.test(hour)) return null;
  if (day === "*" && weekday === "*") return { ...SIMPLE.daily, ...at };
  if (day === "*") {
    const days = daysOf(weekday);
    return days && { ...SIMPLE.weekly, ...at, days };
  }
  return weekday === "*" && (day === "L" || NUMBER.test(day)) ? { ...SIMPLE.monthly, ...at, day } : null;
}

function daysOf(text: string): string[] | null {
  if (text.toUpperCase() === WEEKDAYS || text === "1-5") return DAYS.slice(0, 5);
  const days = text.split(",").map((word) => {
    const named = DAYS.find((day) => day === word.toUpperCase());
    return named ?? (/^[0-7]$/.test(word) ? DAYS[(Number(word) + 6) % 7] : undefined);
  });
  return days.every((day) => day !== undefined) ? days : null;
}
