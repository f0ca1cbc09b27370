import { expect, it } from "vitest";
import type { AlertView, MonitoredAlertsView } from "@/api/schema";
import { countOf, doorOf, iconOf, needing } from "./attention";

function alert(id: string, more: Partial<AlertView> = {}): AlertView {
  return {
    id,
    project: "default",
    rule: "failing",
    severity: "critical",
    subject: { kind: "job", id: "j", name: "nightly" },
    state: "open",
    title: "nightly failed 3 times in a row",
    why: "",
    action: { text: "", path: "/jobs/j" },
    since: "2026-01-01T00:00:00Z",
    last_seen_at: "2026-01-01T00:00:00Z",
    cleared_at: null,
    acknowledged_by: null,
    acknowledged_at: null,
    silenced_until: null,
    silenced_by: null,
    note: null,
    ...more,
  };
}

function monitored(items: AlertView[], open = items.length, acknowledged = 0, silenced = 0): MonitoredAlertsView {
  return {
    timestamp: "2026-01-01T00:00:00Z",
    alerts: { open, critical: open, warning: 0, info: 0, acknowledged, silenced },
    items,
  };
}

it("leaves out acknowledged alerts", () => {
  const found = monitored([alert("a"), alert("b", { acknowledged_at: "2026-01-01T00:00:00Z" })], 3, 1, 1);
  expect(needing(found).map(({ id }) => id)).toEqual(["a"]);
  expect(countOf(found)).toBe(1);
  expect(countOf(undefined)).toBe(0);
});

it("counts what the list has no room for", () => {
  const items = Array.from({ length: 50 }, (_, n) => alert(`a${n}`));
  expect(countOf(monitored(items, 1_000, 10, 5))).toBe(985);
});

it("marks the icon by the worst of them", () => {
  expect(iconOf([])).toBe("/icon.svg");
  expect(iconOf([alert("a", { severity: "warning" })])).toBe("/icon-warning.svg");
  expect(iconOf([alert("a", { severity: "warning" }), alert("b")])).toBe("/icon-critical.svg");
});

it("names the page behind the button", () => {
  expect(doorOf("/runs/01a1")).toEqual({ label: "Open run", to: "/runs/01a1" });
  expect(doorOf("/workers?tab=queues")).toEqual({ label: "Open queues", to: "/workers?tab=queues" });
  expect(doorOf("/settings/secrets")).toEqual({ label: "Open secrets", to: "/settings/secrets" });
  expect(doorOf("/unheard-of")).toEqual({ label: "Open page", to: "/unheard-of" });
  expect(doorOf("//elsewhere.example")).toBeNull();
  expect(doorOf("")).toBeNull();
});
