import type { JobBody } from "@/api/schema";
import { shortDuration } from "@/lib/short-duration";
import { filled, number, record, text } from "./read";

/** When a job is in trouble. Empty texts are the project's rules, or the installation's. */
export interface AlertDraft {
  failing: string;
  late: string;
  longerThan: string;
  shorterThan: string;
  doneBy: string;
  noSuccessFor: string;
  missed: boolean;
  budgetFailures: string;
  budgetWithin: string;
}

export function readAlert(given: unknown): AlertDraft {
  const alert = record(given);
  const budget = record(alert.failure_budget);
  return {
    failing: text(alert.failing),
    late: span(alert.late),
    longerThan: span(alert.longer_than),
    shorterThan: span(alert.shorter_than),
    doneBy: text(alert.done_by),
    noSuccessFor: span(alert.no_success_for),
    missed: alert.missed === true,
    budgetFailures: text(budget.failures),
    budgetWithin: span(budget.within),
  };
}

export function writeAlert(draft: AlertDraft): JobBody["alert"] {
  return filled({
    failing: number(draft.failing),
    late: number(draft.late),
    longer_than: number(draft.longerThan),
    shorter_than: number(draft.shorterThan),
    done_by: draft.doneBy,
    no_success_for: number(draft.noSuccessFor),
    missed: draft.missed || undefined,
    failure_budget: filled({ failures: number(draft.budgetFailures), within: number(draft.budgetWithin) }),
  });
}

/** In a few words: `3 failures in a row · not done by 06:00`. */
export function alertSummary(draft: AlertDraft): string {
  const watched: [string, string][] = [
    [draft.failing, draft.failing === "0" ? "failures in a row off" : `${plural(draft.failing, "failure")} in a row`],
    [draft.late, draft.late === "0" ? "lateness off" : `late by ${draft.late}`],
    [draft.longerThan, `longer than ${draft.longerThan}`],
    [draft.shorterThan, `shorter than ${draft.shorterThan}`],
    [draft.doneBy, `not done by ${draft.doneBy}`],
    [draft.noSuccessFor, `no success for ${draft.noSuccessFor}`],
    [draft.missed ? "yes" : "", "missed runs"],
    [draft.budgetFailures, `${plural(draft.budgetFailures, "failure")} within ${draft.budgetWithin || "…"}`],
  ];
  const said = watched.flatMap(([set, words]) => (set === "" ? [] : [words]));
  return said.join(" · ") || "default rules";
}

/** Of a number as it was typed. */
function plural(count: string, noun: string): string {
  return `${count} ${noun}${count === "1" ? "" : "s"}`;
}

/** Seconds as people write them; what they wrote stays. */
function span(value: unknown): string {
  return typeof value === "number" && Number.isInteger(value) ? shortDuration(value) : text(value);
}
