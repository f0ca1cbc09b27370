import { expect, it } from "vitest";
import type { PingView } from "@/api/schema";
import { fullUrl, linesOf } from "./lines";
import { newPing, patchOf, readPing, writePing } from "./model";

const PING = {
  name: "backup-db",
  description: "",
  tags: ["db"],
  schedule: { cron: "0 4 * * *", timezone: "Europe/Berlin", start_at: "2026-01-01T00:00:00Z" },
  grace: 5_400,
  timeout: null,
} as unknown as PingView;

it("writes what it read", () => {
  expect(writePing(readPing(PING, "UTC"))).toEqual({ ...PING, grace: "1h30m" });
});

it("says which options of a schedule are gone", () => {
  const draft = readPing(PING, "UTC");
  const cut = { ...draft, schedule: { ...draft.schedule, startAt: "" } };
  expect(patchOf(PING, cut).schedule).toEqual({ cron: "0 4 * * *", timezone: "Europe/Berlin", start_at: null });
  const other = { ...draft, schedule: { ...draft.schedule, kind: "manual" as const } };
  expect(patchOf(PING, other).schedule).toEqual({ manual: true });
});

it("begins with a cron and an hour of grace", () => {
  expect(writePing({ ...newPing("UTC"), name: " a " })).toEqual({
    name: "a",
    description: "",
    tags: [],
    schedule: { cron: "0 3 * * *" },
    grace: "1h",
    timeout: null,
  });
});

it("gives lines to copy, with the ping's own times", () => {
  const lines = linesOf("https://horae.example.org/ping/TOKEN", PING.schedule);
  expect(lines.find(({ value }) => value === "crontab")?.text).toBe(
    "0 4 * * * /usr/local/bin/backup; curl -fsS -m 10 --retry 5 -o /dev/null https://horae.example.org/ping/TOKEN/$?",
  );
  expect(lines.map(({ value }) => value)).toEqual(["crontab", "curl", "systemd", "horae"]);
});

it.each([
  ["1m", "* * * * *"],
  ["15m", "*/15 * * * *"],
  ["1h", "0 * * * *"],
  ["6h", "0 */6 * * *"],
  ["1d", "0 3 * * *"],
  ["7m", "0 3 * * *"],
])("writes every %s as crontab would", (every, cron) => {
  expect(linesOf("/p", { every } as PingView["schedule"])[0]?.text).toContain(`${cron} /usr/local/bin/backup`);
});

it("completes an address without a host", () => {
  expect(fullUrl("/ping/T", "https://h")).toBe("https://h/ping/T");
  expect(fullUrl("https://a/ping/T", "https://h")).toBe("https://a/ping/T");
});
