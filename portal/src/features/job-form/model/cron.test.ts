import { expect, it } from "vitest";
import { cronOf, simpleOf } from "./cron";

it.each(["*/5 * * * *", "30 * * * *", "0 9 * * *", "15 9 * * MON-FRI", "0 0 * * SAT,SUN", "0 6 1 * *", "0 6 L * *"])(
  "%s is shown by the helpers, and written by them",
  (cron) => {
    const simple = simpleOf(cron);
    expect(simple && cronOf(simple)).toBe(cron);
  },
);

it.each(["0 9 1 * MON", "0 9 * 3 *", "0-5 9 * * *", "0 0 9 * * *", "@daily", "0 9 * * MON#1", "", "0 */2 * * *"])(
  "%s says more than the helpers can",
  (cron) => expect(simpleOf(cron)).toBeNull(),
);

it("knows days by number, and Sunday by both of its numbers", () => {
  expect(simpleOf("0 9 * * 1-5")?.days).toEqual(["MON", "TUE", "WED", "THU", "FRI"]);
  expect([simpleOf("0 9 * * 0")?.days, simpleOf("0 9 * * 7")?.days]).toEqual([["SUN"], ["SUN"]]);
});
