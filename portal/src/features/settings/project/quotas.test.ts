import { describe, expect, it } from "vitest";
import type { QuotasView } from "@/api/schema";
import { amount, changed, level, limitOf, QUOTAS, type QuotaName, share } from "./quotas";

const quota = (limit: number | null, used: number | null) => ({ limit, used, refused_at: null });

describe("quotas", () => {
  it("tell how much of them is used", () => {
    expect(share(quota(null, 7))).toBeNull();
    expect(share(quota(10, 5))).toBe(0.5);
    expect(share(quota(0, 0))).toBeNull();
    expect(level(quota(0, 1))).toBe("full");
    expect([0, 79, 80, 99, 100, 120].map((used) => level(quota(100, used)))).toEqual([
      "ok",
      "ok",
      "near",
      "near",
      "full",
      "full",
    ]);
    expect(level(quota(null, 1_000))).toBe("ok");
  });

  it("are typed as numbers and sizes", () => {
    expect(limitOf("jobs", " 1,000 ")).toBe(1_000);
    expect(limitOf("jobs", "")).toBeNull();
    expect(limitOf("log_bytes_per_day", "1.5 GiB")).toBe(1.5 * 1_024 ** 3);
    for (const wrong of ["many", "-1", "1.5", "1 MiB"]) expect(() => limitOf("jobs", wrong)).toThrow("whole number");
    expect(amount("log_bytes_per_day", 2_097_152)).toBe("2.0 MiB");
    expect(amount("jobs", 12_345)).toBe("12,345");
  });

  it("are sent as far as they differ", () => {
    const before = Object.fromEntries(QUOTAS.map(({ name }) => [name, quota(name === "jobs" ? 5 : null, 1)]));
    const wanted = Object.fromEntries(QUOTAS.map(({ name }) => [name, name === "secrets" ? 3 : null]));
    expect(changed(before as unknown as QuotasView, wanted as Record<QuotaName, number | null>)).toEqual({
      jobs: null,
      secrets: 3,
    });
  });
});
