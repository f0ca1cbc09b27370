import { describe, expect, it } from "vitest";
import { duration, seconds } from "./durations";
import { absolute, countdown, exactly, momentOf, relative, toMillis } from "./times";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const away = (secs: number) => new Date(NOW + secs * 1_000).toISOString();

describe("times", () => {
  it.each([
    [-1, "just now"],
    [1, "now"],
    [-12, "12 s ago"],
    [59, "in 59 s"],
    [-90, "1 min ago"],
    [3_600, "in 1 h"],
    [-86_400 * 3, "3 d ago"],
    [86_400 * 100, "in 3 months"],
    [-86_400 * 800, "2 years ago"],
  ])("%d s away is %s", (secs, text) => {
    expect(relative(away(secs), NOW)).toBe(text);
  });

  it("counts down to the second, and then says that it is due", () => {
    expect(countdown(away(252), NOW)).toBe("4 min 12 s");
    expect(countdown(away(0.2), NOW)).toBe("1 s");
    expect(countdown(away(-5), NOW)).toBe("due");
  });

  it("shows an instant in any zone, and in UTC for one that is not known", () => {
    expect(absolute("2026-07-14T07:00:03Z", "Europe/Berlin")).toContain("09:00:03");
    expect(absolute("2026-07-14T07:00:03Z", "Mars/Olympus")).toContain("07:00:03");
  });
});

describe("durations", () => {
  it.each([
    [null, "–"],
    [340, "340 ms"],
    [4_290, "4.2 s"],
    [200_000, "3 min 20 s"],
    [7_500_000, "2 h 5 min"],
    [86_400_000, "1 d"],
  ])("%s ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it("skips no unit in between", () => {
    expect(seconds(3_601)).toBe("1 h");
    expect(seconds(0)).toBe("0 s");
  });
});

it("formats instants in sentences by the page's clock", () => {
  expect(exactly("2026-07-14T00:00:03Z", NOW, "Asia/Tokyo")).toBe("14 Jul, 09:00:03 GMT+9");
  expect(exactly("2027-01-01T00:00:00Z", NOW, "Asia/Tokyo")).toContain("1 Jan 2027");
});

it("gives the date where a time of day would not do", () => {
  const from = "2026-07-14T08:00:00Z";
  const after = (hours: number) => new Date(toMillis(from) + hours * 3_600_000).toISOString();
  expect(momentOf(from, after(2))(from)).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(momentOf(from, after(30))(from)).toMatch(/^1\d Jul, /);
});
