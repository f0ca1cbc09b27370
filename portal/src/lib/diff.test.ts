import { expect, it } from "vitest";
import { diffLines, stableJson } from "./diff";

const marked = (before: string, after: string) =>
  diffLines(before, after).map((line) => `${{ same: " ", added: "+", removed: "-" }[line.kind]}${line.text}`);

it("finds what came and went", () => {
  expect(marked("a\nb\nc\nd", "a\nc\nx\nd")).toEqual([" a", "-b", " c", "+x", " d"]);
  expect(marked("", "a")).toEqual(["+a"]);
  expect(marked("a", "a")).toEqual([" a"]);
});

it("counts the lines of both", () => {
  expect(diffLines("a\nb", "b").map((line) => [line.old, line.new])).toEqual([
    [1, null],
    [2, 1],
  ]);
});

it("gives up on finding the least for what is huge, but loses nothing", () => {
  const many = (name: string) => Array.from({ length: 2_500 }, (_, n) => `${name} ${n}`).join("\n");
  const found = diffLines(many("a"), many("b"));
  expect(found.filter((line) => line.kind === "removed")).toHaveLength(2_500);
  expect(found.filter((line) => line.kind === "added")).toHaveLength(2_500);
});

it("writes JSON in one order only", () => {
  expect(stableJson({ b: 1, a: { d: [2, 1], c: null } })).toBe(stableJson({ a: { c: null, d: [2, 1] }, b: 1 }));
});
