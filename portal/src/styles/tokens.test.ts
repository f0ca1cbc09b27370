import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function tokens(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split("}")[0] ?? "";
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((found) => [found[1] ?? "", found[2] ?? ""]));
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const STATUSES = ["succeeded", "failed", "running", "queued", "cancelled", "skipped", "paused", "scheduled"];
const GROUNDS = ["page", "surface", "sunken", "hover"];
const TEXT: [string, string][] = [
  ...["text", "soft", "muted", "danger", "accent"].flatMap((text) => GROUNDS.map((on): [string, string] => [text, on])),
  ...STATUSES.flatMap((status): [string, string][] => [
    [`${status}-text`, `${status}-soft`],
    [`${status}-text`, "surface"],
  ]),
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["on-danger", "danger"],
  ["on-danger", "danger-strong"],
  ["accent", "accent-soft"],
];
const SHAPES: [string, string][] = [
  ["control", "surface"],
  ["ring", "page"],
  ...STATUSES.map((status): [string, string] => [status, "surface"]),
];

describe.each([":root", ".dark"])("the colours of %s", (selector) => {
  const found = tokens(selector);
  const measured = (pair: [string, string]) => contrast(found.get(pair[0]) ?? "", found.get(pair[1]) ?? "");
  it.each(TEXT)("%s on %s can be read", (...pair) => {
    expect(measured(pair)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(SHAPES)("%s on %s can be seen", (...pair) => {
    expect(measured(pair)).toBeGreaterThanOrEqual(3);
  });
});
