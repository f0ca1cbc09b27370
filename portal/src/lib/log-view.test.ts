import { expect, it } from "vitest";
import { LogLines } from "./log-lines";
import { LogView, partsOf } from "./log-view";

const NOTHING = { stream: "", attempt: 0, text: "" };

function log(...pieces: [text: string, stream?: string, attempt?: number][]) {
  const made = new LogLines();
  for (const [text, stream = "stdout", attempt = 1] of pieces) made.add({ attempt, seq: 1, at: "", stream, text });
  return made;
}

it("shows all lines, or one stream or attempt", () => {
  const { lines } = log(["a\n"], ["b\n", "stderr"], ["c\n", "stdout", 2]);
  const shown = (given: object) => {
    const view = new LogView(lines, { ...NOTHING, ...given });
    view.update();
    return Array.from({ length: view.count }, (_, row) => view.line(row)?.text);
  };
  expect(shown({})).toEqual(["a", "b", "c"]);
  expect(shown({ stream: "stdout" })).toEqual(["a", "c"]);
  expect(shown({ attempt: 2 })).toEqual(["c"]);
  expect(shown({ stream: "stderr", attempt: 2 })).toEqual([]);
});

it("finds without regard to case, and goes on where it was", () => {
  const made = log(["Error one\nfine\nhalf an er"]);
  const view = new LogView(made.lines, { ...NOTHING, text: "ERROR" });
  view.update();
  expect(view.hits).toEqual([0]);
  made.add({ attempt: 1, seq: 2, at: "", stream: "stdout", text: "ror\nand an error\n" });
  view.update();
  view.update();
  expect(view.hits).toEqual([0, 2, 3]);
});

it("counts hits by the rows that are shown", () => {
  const made = log(["x\n", "stderr"], ["y\nx\n"], ["x\n", "stderr"]);
  const view = new LogView(made.lines, { ...NOTHING, stream: "stdout", text: "x" });
  view.update();
  made.add({ attempt: 1, seq: 9, at: "", stream: "stdout", text: "x\n" });
  view.update();
  expect(view.hits).toEqual([1, 2]);
  expect(view.line(1)?.text).toBe("x");
});

it("looks at 100,000 lines once", () => {
  const made = log(["line of a log\n".repeat(100_000)]);
  let read = 0;
  const watched = new Proxy(made.lines, {
    get: (target, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) read += 1;
      return Reflect.get(target, name);
    },
  });
  const view = new LogView(watched, { ...NOTHING, text: "of" });
  view.update();
  expect(view.hits).toHaveLength(100_000);
  read = 0;
  made.add({ attempt: 1, seq: 2, at: "", stream: "stdout", text: "one more\n" });
  view.update();
  expect(read).toBe(2);
});

it("takes a line apart by colour and by what is sought", () => {
  expect(partsOf("plain", undefined, "")).toEqual([{ text: "plain", look: "", hit: false }]);
  const parts = partsOf("red and Red", [[0, 3, "r"]], "ed");
  expect(parts.map(({ text, look, hit }) => [text, look, hit])).toEqual([
    ["r", "r", false],
    ["ed", "r", true],
    [" and R", "", false],
    ["ed", "", true],
  ]);
});
