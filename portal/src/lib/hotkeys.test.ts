import { beforeEach, expect, it } from "vitest";
import { type Hotkey, match } from "./hotkeys";

const keys = (...list: string[]): Hotkey[] =>
  list.map((one) => ({ keys: one, label: one, group: "test", run: () => undefined }));
let time = 0;
const press = (key: string, more: Partial<KeyboardEvent> = {}, wait = 100) => {
  time += wait;
  return {
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    target: null,
    defaultPrevented: false,
    ...more,
    timeStamp: time,
  };
};

beforeEach(() => {
  match(press("x", {}, 10_000), []);
});

it("knows single keys, and Ctrl or the command key with one", () => {
  expect(match(press("?"), keys("?"))?.keys).toBe("?");
  expect(match(press("K", { metaKey: true }), keys("mod+k"))?.keys).toBe("mod+k");
  expect(match(press("k"), keys("mod+k"))).toBeUndefined();
});

it("knows keys one after the other, if they come soon", () => {
  match(press("g"), keys("g j"));
  expect(match(press("j"), keys("g j"))?.keys).toBe("g j");
  match(press("g"), keys("g j"));
  expect(match(press("j", {}, 5_000), keys("g j"))).toBeUndefined();
});

it("lets the later of two win", () => {
  const [first, second] = keys("c", "c");
  expect(match(press("c"), [first as Hotkey, second as Hotkey])).toBe(second);
});
