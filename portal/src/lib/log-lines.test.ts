import { expect, it } from "vitest";
import { found, LogLines } from "./log-lines";

const piece = (text: string, stream = "stdout", attempt = 1) => ({
  attempt,
  seq: 1,
  at: "2026-01-01T00:00:00Z",
  stream,
  text,
});

it("puts lines together that come in pieces", () => {
  const log = new LogLines();
  for (const text of ["one\ntw", "o\nthree", "\n\nfive\r\n"]) log.add(piece(text));
  expect(log.lines.map((line) => line.text)).toEqual(["one", "two", "three", "", "five"]);
});

it("keeps streams and attempts apart", () => {
  const log = new LogLines();
  log.add(piece("half"));
  log.add(piece("oops\n", "stderr"));
  log.add(piece("again\n", "stdout", 2));
  expect(log.lines.map((line) => [line.text, line.stream, line.attempt])).toEqual([
    ["half", "stdout", 1],
    ["oops", "stderr", 1],
    ["again", "stdout", 2],
  ]);
});

it("takes colours away, and leaves what looks like markup", () => {
  const log = new LogLines();
  log.add(piece("\u001b[31mred\u001b[0m <b>bold</b>\n"));
  expect(log.lines[0]?.text).toBe("red <b>bold</b>");
  expect(found(log.lines, "BOLD")).toEqual([0]);
  expect(found(log.lines, "")).toEqual([]);
});
