import { expect, it } from "vitest";
import { toYaml } from "./yaml";

it("nests objects and lists", () => {
  expect(toYaml({ a: { b: [1, { c: null, d: [] }], e: {} } })).toBe(
    "a:\n  b:\n    - 1\n    - c: null\n      d: []\n  e: {}\n",
  );
});

it("keeps texts what they are", () => {
  expect(
    toYaml({ a: "22:00", b: "no", c: "plain text", d: "", e: "- x", f: "# y", g: "1", h: "a: b", i: "15m", j: "1e3" }),
  ).toBe('a: "22:00"\nb: "no"\nc: plain text\nd: ""\ne: "- x"\nf: "# y"\ng: "1"\nh: "a: b"\ni: 15m\nj: "1e3"\n');
});

it("shows scripts line by line", () => {
  expect(toYaml({ source: "echo a\n\necho b\n", last: "x\ny" })).toBe(
    "source: |\n  echo a\n\n  echo b\nlast: |-\n  x\n  y\n",
  );
});
