import { describe, expect, it } from "vitest";
import type { SchedulerView } from "@/api/schema";
import { letter, ranges, shardMap } from "./shards";

const LATER = "2026-05-01T12:00:05Z";
const EARLIER = "2026-05-01T11:59:00Z";

function scheduler(leases: [shard: number, epoch: number][]): SchedulerView {
  return {
    id: "s",
    hostname: "h",
    platform: "linux",
    pid: 1,
    version: "0",
    status: "active",
    shards: leases.map(([shard]) => shard),
    leases: leases.map(([shard, epoch]) => ({ shard, epoch, lease_until: LATER, owned_since: null })),
    started_at: EARLIER,
    heartbeat_at: EARLIER,
    trouble: null,
  };
}

describe("shardMap", () => {
  it("shows each shard with its owner, gaps included", () => {
    const cells = shardMap([scheduler([[0, 1]]), scheduler([[3, 2]])], 5);
    expect(cells.map(({ owner, epoch }) => [owner, epoch])).toEqual([
      [0, 1],
      [null, null],
      [null, null],
      [1, 2],
      [null, null],
    ]);
  });

  it("believes the higher epoch, in any order", () => {
    const [old, young] = [scheduler([[0, 4]]), scheduler([[0, 5]])];
    expect(shardMap([old, young], 1)[0]?.owner).toBe(1);
    expect(shardMap([young, old], 1)[0]?.owner).toBe(0);
  });

  it("shows every shard as free without schedulers", () => {
    expect(shardMap([], 2).map(({ owner }) => owner)).toEqual([null, null]);
  });
});

describe("ranges", () => {
  it("joins neighbours", () => {
    expect(ranges([9, 0, 1, 2, 3, 7, 10])).toBe("0–3, 7, 9–10");
    expect(ranges([])).toBe("");
  });
});

it("letters go on after Z", () => {
  expect([0, 25, 26].map(letter)).toEqual(["A", "Z", "A2"]);
});
