import { expect, it } from "vitest";
import { alertSummary, readAlert, writeAlert } from "./alert";

it("keeps what a definition says", () => {
  const spec = {
    failing: 0,
    late: 600,
    longer_than: 0.5,
    done_by: "06:00",
    missed: true,
    failure_budget: { failures: 5, within: 86_400 },
  };
  expect(writeAlert(readAlert(spec))).toEqual({
    ...spec,
    late: "10m",
    failure_budget: { failures: 5, within: "1d" },
  });
});

it("is nothing where nothing is set", () => {
  expect(writeAlert(readAlert(null))).toEqual({});
  expect(alertSummary(readAlert(null))).toBe("default rules");
});

it("says what is watched", () => {
  expect(alertSummary(readAlert({ failing: 0, done_by: "06:00" }))).toBe("failures in a row off · not done by 06:00");
});
