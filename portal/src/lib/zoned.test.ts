import { expect, it } from "vitest";
import { fromWall, toWall } from "./zoned";

it.each([
  ["2026-12-01T09:00", "Europe/Berlin", "2026-12-01T09:00:00+01:00"],
  ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T09:00:00+02:00"],
  ["2026-07-01T09:00:05", "America/New_York", "2026-07-01T09:00:05-04:00"],
  ["2026-07-01T09:00", "Asia/Kolkata", "2026-07-01T09:00:00+05:30"],
  ["2026-07-01T09:00", "UTC", "2026-07-01T09:00:00+00:00"],
])("%s in %s", (wall, zone, instant) => {
  expect(fromWall(wall, zone)).toBe(instant);
  expect(toWall(instant, zone)).toBe(wall);
});

it("right before and after clocks change", () => {
  expect(fromWall("2026-03-29T01:59", "Europe/Berlin")).toBe("2026-03-29T01:59:00+01:00");
  expect(fromWall("2026-03-29T03:00", "Europe/Berlin")).toBe("2026-03-29T03:00:00+02:00");
});

it("nothing is nothing", () => {
  expect([fromWall("", "UTC"), toWall("", "UTC"), toWall("x", "UTC")]).toEqual(["", "", ""]);
});

it("takes UTC for a zone that the browser does not know", () => {
  expect(fromWall("2026-07-01T09:00", "Mars/Base")).toBe("2026-07-01T09:00:00+00:00");
});
