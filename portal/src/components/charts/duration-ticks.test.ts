import { expect, it } from "vitest";
import { durationTick, durationTicks } from "./duration-ticks";

it.each([
  [0, ["0", "1 ms"]],
  [7, ["0", "2 ms", "4 ms", "6 ms", "8 ms"]],
  [3_500, ["0", "1 s", "2 s", "3 s", "4 s"]],
  [105_000, ["0", "30 s", "1 min", "1 min 30 s", "2 min"]],
  [3_600_000, ["0", "15 min", "30 min", "45 min", "1 h"]],
])("up to %i ms", (most, words) => {
  expect(durationTicks(most).map((ms) => durationTick(ms).replaceAll("\u00a0", " "))).toEqual(words);
});

it("goes up to what is shown, in no more than four steps", () => {
  for (const most of [3, 999, 61_000, 7_200_001, 90_000_000, 900_000_000]) {
    const ticks = durationTicks(most);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
  }
});
