import { expect, it } from "vitest";
import { commandIn, partsOf } from "./server-text";

const RUN = "01a1e15f-3574-7aaa-8bbb-0123456789ab";

it("sets runs and instants apart", () => {
  expect(partsOf(`run ${RUN} was due 2026-11-15 22:45:45 UTC (3 s ago)`)).toEqual([
    { kind: "text", text: "run " },
    { kind: "run", text: RUN },
    { kind: "text", text: " was due " },
    { kind: "time", text: "2026-11-15T22:45:45Z" },
    { kind: "text", text: " (3 s ago)" },
  ]);
  expect(partsOf(`worker ${RUN} has it`)).toEqual([{ kind: "text", text: `worker ${RUN} has it` }]);
  expect(partsOf("")).toEqual([]);
});

it("leaves out a time of day that the page's clock has said already", () => {
  const text = "it starts at 2026-11-15 00:00:00 UTC, 09:00 Asia/Tokyo, spread by up to 5 s";
  const after = (zone?: string) =>
    partsOf(text, zone)
      .slice(2)
      .map((part) => part.text);
  expect(after("Asia/Tokyo")).toEqual([", spread by up to 5 s"]);
  expect(after("Europe/Rome")).toEqual([", 09:00 Asia/Tokyo, spread by up to 5 s"]);
  expect(after()).toEqual([", 09:00 Asia/Tokyo, spread by up to 5 s"]);
});

it("finds the command to copy, where it is one", () => {
  expect(commandIn("horae jobs resume 'my job'")).toBe("horae jobs resume 'my job'");
  expect(commandIn("wait, or start it by hand: horae jobs run sync")).toBe("horae jobs run sync");
  expect(commandIn("start one: HORAE_EXECUTORS=container horae worker")).toBe("HORAE_EXECUTORS=container horae worker");
  expect(commandIn("wait until then")).toBeNull();
  expect(commandIn("start one: horae worker; or cancel that run: horae runs cancel x")).toBeNull();
  expect(commandIn("free a slot or add workers (horae workers shows what each is doing)")).toBeNull();
});
