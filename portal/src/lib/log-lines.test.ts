import { expect, it } from "vitest";
import { LogLines } from "./log-lines";

const piece = (text: string, stream = "stdout", attempt = 1) => ({
  attempt,
  seq: 1,
  at: "2026-01-01T00:00:00Z",
  stream,
  text,
});
const texts = (log: LogLines) => log.lines.map((line) => line.text);

it("puts lines together that come in pieces", () => {
  const log = new LogLines();
  for (const text of ["one\ntw", "o\nthree", "\n\nfive\r\n"]) log.add(piece(text));
  expect(texts(log)).toEqual(["one", "two", "three", "", "five"]);
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

it("makes spans of colours, and leaves what looks like markup", () => {
  const log = new LogLines();
  log.add(piece("\u001b[31mred\u001b[0m <b>bold</b>\n"));
  expect(log.lines[0]).toMatchObject({ text: "red <b>bold</b>", spans: [[0, 3, "text-failed-text"]] });
});

it("keeps a colour over lines, and drops it with the next attempt", () => {
  const log = new LogLines();
  log.add(piece("\u001b[1;32mone\ntwo\n"));
  log.add(piece("three\n", "stdout", 2));
  expect(log.lines.map((line) => line.spans)).toEqual([
    [[0, 3, "text-succeeded-text font-bold"]],
    [[0, 3, "text-succeeded-text font-bold"]],
    undefined,
  ]);
});

it("waits for the rest of a sequence that a piece cuts in two", () => {
  const log = new LogLines();
  for (const text of ["a\u001b", "[3", "4mb\u001b[0mc\n"]) log.add(piece(text));
  expect(log.lines).toMatchObject([{ text: "abc", spans: [[1, 2, "text-running-text"]] }]);
});

it("obeys nothing but looks: no titles, no cursor", () => {
  const log = new LogLines();
  log.add(piece("\u001b]0;title\u0007a\u001b[2J\u001b[38;5;196mb\u001b[48;2;1;2;3mc\u001b(B\n"));
  expect(log.lines).toMatchObject([
    {
      text: "abc",
      spans: [
        [1, 2, "text-failed-text"],
        [2, 3, "text-failed-text"],
      ],
    },
  ]);
});

it("keeps the last state of a line that is written over", () => {
  const log = new LogLines();
  log.add(piece("10%\r20%\r"));
  log.add(piece("30%\r\ndone\n"));
  expect(texts(log)).toEqual(["30%", "done"]);
});
