import { describe, expect, it } from "vitest";
import type { SchedulerView } from "@/api/schema";
import { letter, ranges, shardMap } from "./shards";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const LATER = "2026-05-01T12:00:05Z";
const EARLIER = "2026-05-01T11:59:00Z";

function scheduler(leases: [shard: number, epoch: number, until?: string][]): SchedulerView {
  return {
    id: "s",
    hostname: "h",
    platform: "linux",
    pid: 1,
    version: "0",
    shards: leases.map(([shard]) => shard),
    leases: leases.map(([shard, epoch, until = LATER]) => ({ shard, epoch, lease_until: until, owned_since: null })),
    started_at: EARLIER,
    heartbeat_at: EARLIER,
    trouble: null,
  };
}

describe("shardMap", () => {
  it("shows each shard with its owner, gaps included", () => {
    const cells = shardMap([scheduler([[0, 1]]), scheduler([[3, 2]])], NOW);
    expect(cells.map(({ owner, epoch }) => [owner, epoch])).toEqual([
      [0, 1],
      [null, null],
      [null, null],
      [1, 2],
    ]);
  });

  it("believes the higher epoch, whoever comes first", () => {
    const [old, young] = [scheduler([[0, 4]]), scheduler([[0, 5]])];
    expect(shardMap([old, young], NOW)[0]?.owner).toBe(1);
    expect(shardMap([young, old], NOW)[0]?.owner).toBe(0);
  });

  it("gives a lease that ran out to nobody, even if an older one claims it", () => {
    const cells = shardMap([scheduler([[0, 7, EARLIER]]), scheduler([[0, 6]])], NOW);
    expect(cells[0]).toMatchObject({ owner: null, epoch: 7 });
  });

  it("is empty without schedulers", () => {
    expect(shardMap([], NOW)).toEqual([]);
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
