import type { QuotasPatch, QuotasView, QuotaView } from "@/api/schema";
import { bytes, count } from "@/lib/durations";

export type QuotaName = keyof QuotasView;

export const QUOTAS: { name: QuotaName; label: string; hint: string }[] = [
  { name: "jobs", label: "Jobs", hint: "Paused and disabled jobs count too." },
  { name: "live_runs", label: "Live runs", hint: "Queued, held, delayed or running." },
  { name: "fires_per_minute", label: "Fires per minute", hint: "Of all schedules, each by its busiest hour." },
  { name: "log_bytes_per_day", label: "Log output per day", hint: "In bytes, or such as 500 MiB. Days are in UTC." },
  { name: "secrets", label: "Secrets", hint: "" },
  { name: "api_keys", label: "API keys", hint: "Expired keys do not count." },
];

const WARN_AT = 0.8;

/** How much of the limit is used, from 0 on; null where there is nothing to use. More than 1: it was lowered since. */
export function share(quota: QuotaView): number | null {
  const used = quota.used ?? 0;
  if (quota.limit === null || (quota.limit === 0 && used === 0)) return null;
  return used / quota.limit;
}

export function level(quota: QuotaView): "ok" | "near" | "full" {
  const used = share(quota);
  if (used === null || used < WARN_AT) return "ok";
  return used < 1 ? "near" : "full";
}

export function amount(name: QuotaName, value: number): string {
  return name === "log_bytes_per_day" ? bytes(value) : count(value);
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)?$/i;
const UNITS = ["b", "kib", "mib", "gib", "tib"];

/** A limit as people type it; null for none. Throws if it is invalid. */
export function limitOf(name: QuotaName, text: string): number | null {
  const given = text.trim().replaceAll(/[,_]/g, "");
  if (given === "") return null;
  const found = SIZE.exec(given);
  const unit = UNITS.indexOf((found?.[2] ?? "B").toLowerCase());
  if (!found || (unit > 0 && name !== "log_bytes_per_day")) throw new Error("Enter a whole number, or nothing.");
  const value = Number(found[1]) * 1_024 ** unit;
  if (unit === 0 && !Number.isInteger(value)) throw new Error("Enter a whole number, or nothing.");
  return Math.round(value);
}

/** Only what differs: someone else may have changed the others in the meantime. */
export function changed(before: QuotasView, wanted: Record<QuotaName, number | null>): QuotasPatch {
  const names = QUOTAS.map(({ name }) => name).filter((name) => wanted[name] !== before[name].limit);
  return Object.fromEntries(names.map((name) => [name, wanted[name]]));
}
