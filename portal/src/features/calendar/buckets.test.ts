import { describe, expect, it } from "vitest";
import type { CalendarEntryView } from "@/api/schema";
import {
  addDays,
  agenda,
  beginning,
  clockOf,
  daysFrom,
  heatOf,
  hottest,
  isDay,
  scaleOf,
  today,
  wallClock,
} from "./buckets";

const counted = (at: string, count: number): CalendarEntryView => ({ at, count, job_id: null, job_name: null });
const ALL = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
const fired = (at: string, name: string): CalendarEntryView => ({ at, count: null, job_id: name, job_name: name });

describe("days", () => {
  it("goes over months and leap days", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(daysFrom("2026-12-30", 3)).toEqual(["2026-12-30", "2026-12-31", "2027-01-01"]);
    expect([isDay("2026-05-01"), isDay("2026-13-01"), isDay("today")]).toEqual([true, false, false]);
  });

  it("begins by the clock of the zone", () => {
    expect(beginning("2026-05-01", 0, "Europe/Berlin")).toBe("2026-04-30T22:00:00.000Z");
    expect(beginning("2026-05-01", 24, "Asia/Kolkata")).toBe("2026-05-01T18:30:00.000Z");
    expect(today(Date.parse("2026-04-30T22:30:00Z"), "Europe/Berlin")).toBe("2026-05-01");
  });
});

describe("heatOf", () => {
  it("puts minutes into hours of the zone, also where those are not whole in UTC", () => {
    const [heat] = heatOf([counted("2026-05-01T03:40:00Z", 3)], ["2026-05-01"], "Asia/Kolkata", ALL);
    expect(heat?.hours[9]).toBe(3);
    expect(heat?.minutes[9 * 60 + 10]).toBe(3);
    expect(heat?.total).toBe(3);
  });

  it("counts both hours that the clock shows twice as one, and leaves out what is not on these days", () => {
    const night = [
      counted("2026-10-25T00:30:00Z", 1),
      counted("2026-10-25T01:30:00Z", 2),
      counted("2026-10-26T12:00:00Z", 9),
    ];
    const [heat] = heatOf(night, ["2026-10-25"], "Europe/Berlin", ALL);
    expect(heat?.hours[2]).toBe(3);
    expect(heat?.total).toBe(3);
  });

  it("goes over a change of the clock within a view", () => {
    const items = [counted("2026-03-28T08:00:00Z", 1), counted("2026-03-30T07:00:00Z", 1)];
    const heat = heatOf(items, daysFrom("2026-03-28", 3), "Europe/Berlin", ALL);
    expect([heat[0]?.hours[9], heat[1]?.total, heat[2]?.hours[9]]).toEqual([1, 0, 1]);
  });
});

it("distinguishes hours that were not counted from those in which nothing starts", () => {
  const counted = { from: Date.parse("2026-05-01T07:30:00Z"), until: Date.parse("2026-05-01T09:20:00Z") };
  const [heat] = heatOf([], ["2026-05-01"], "UTC", counted);
  expect(heat?.known.slice(6, 11)).toEqual(["past", "counted", "counted", "uncounted", "uncounted"]);
});

describe("scaleOf", () => {
  it("shows nothing as nothing, and what is always the same as usual", () => {
    const level = scaleOf([0, 675, 675, 678]);
    expect([0, 675, 678].map(level)).toEqual([0, 2, 2]);
    expect(scaleOf([1])(1)).toBe(2);
    expect(scaleOf([])(0)).toBe(0);
  });

  it("lets what comes at once stand out, and little stay visible", () => {
    const level = scaleOf([1, 10, 10, 11, 14, 40]);
    expect([1, 10, 14, 40].map(level)).toEqual([1, 2, 3, 4]);
  });
});

it("the hottest minutes come first, and lonely ones not at all", () => {
  const items = [counted("a", 2), counted("b", 9), counted("c", 1), counted("d", 2)];
  expect(hottest(items, 2).map(({ at }) => at)).toEqual(["b", "a"]);
});

it("joins what one job does within an hour", () => {
  const rows = agenda(
    [
      fired("2026-05-01T07:00:00Z", "often"),
      fired("2026-05-01T07:00:00Z", "report"),
      fired("2026-05-01T07:30:00Z", "often"),
      fired("2026-05-01T08:00:00Z", "often"),
    ],
    "Europe/Berlin",
  );
  expect(
    rows.map(({ jobName, first, last, count }) => [jobName, first.slice(11, 16), last.slice(11, 16), count]),
  ).toEqual([
    ["often", "07:00", "07:30", 2],
    ["report", "07:00", "07:00", 1],
    ["often", "08:00", "08:00", 1],
  ]);
});

it("formats the time of day", () => {
  expect(clockOf(wallClock("Asia/Kolkata")(Date.parse("2026-05-01T03:40:00Z")))).toBe("09:10");
});
