"""Many schedulers and workers on one database: every occurrence becomes one run, every run is executed once, and the
work is shared."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from horae.clock import SystemClock
from tests.integration.cluster.cluster import KINDS, Cluster, Make, Row, eventually
from tests.integration.cluster.oracle import Oracle

pytestmark = pytest.mark.slow

RUNS = 3


def recurring(count: int, oracle: Oracle) -> list[Row]:
    """Jobs that are due every second, three times; every fifth lets no two runs overlap, every tenth is due once."""
    target = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path), "seconds": 0.02}}
    now = SystemClock().now().isoformat()
    return [
        {
            "name": f"job-{n}",
            "target": target,
            "schedule": {"at": now} if n % 10 == 1 else {"every": "1s", "max_runs": RUNS},
            "overlap": "skip" if n % 5 == 0 else "allow",
        }
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("kind", "jobs", "workers"),
    [
        pytest.param("postgresql", 200, 3, marks=pytest.mark.postgresql),
        pytest.param("mysql", 200, 3, marks=pytest.mark.mysql),
        pytest.param("sqlite", 60, 2, marks=pytest.mark.sqlite),
    ],
)
async def test_each_occurrence_once_and_each_run_once(
    kind: str, jobs: int, workers: int, make_cluster: Make, oracle: Oracle
) -> None:
    cluster = await make_cluster(kind, HORAE_SHARD_LEASE="3s", HORAE_WORKER_SLOTS="8")
    schedulers = [cluster.start("scheduler") for _ in range(2)]
    await cluster.start_workers(workers)
    for scheduler in schedulers:
        await scheduler.ready()
    await eventually(halved, cluster)
    await cluster.create_many(recurring(jobs, oracle))
    await eventually(all_over, cluster, timeout=60)

    history = await cluster.ask("SELECT * FROM run_history")
    by_job: dict[str, list[Row]] = {}
    for row in history:
        by_job.setdefault(row["job_id"], []).append(row)
    for job in await cluster.ask("SELECT id, name FROM jobs"):
        number = int(job["name"].removeprefix("job-"))
        assert_accounted(by_job[job["id"]], 1 if number % 10 == 1 else RUNS)
        assert number % 5 == 0 or {row["status"] for row in by_job[job["id"]]} == {"succeeded"}

    runs = {row["id"]: [1] for row in history if row["status"] == "succeeded"}
    assert oracle.attempts("start") == runs
    assert oracle.attempts("end") == runs
    assert {row["attempt"] for row in history if row["status"] == "succeeded"} == {1}
    assert {row["worker_id"] for row in history if row["worker_id"]} == {
        member.id for member in cluster.members if member.role == "worker"
    }
    assert {row["scheduler_id"] for row in history} == {scheduler.id for scheduler in schedulers}


def assert_accounted(rows: list[Row], runs: int) -> None:
    """So many runs that succeeded, and one row for every second from the first to the last of them."""
    assert [row["status"] for row in rows if row["reason"] != "overlap"] == ["succeeded"] * runs
    covered: list[datetime] = []
    for row in rows:
        covered += [row["scheduled_for"] + timedelta(seconds=n) for n in range(row["occurrences"])]
    covered.sort()
    assert all(later - sooner == timedelta(seconds=1) for sooner, later in pairwise(covered))


async def halved(cluster: Cluster) -> bool:
    return sorted((await cluster.shards()).values()) == [32, 32]


async def all_over(cluster: Cluster) -> bool:
    return not await cluster.count("jobs WHERE next_run_at IS NOT NULL") and not await cluster.count("runs")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_stopped_scheduler_hands_over(kind: str, make_cluster: Make) -> None:
    """Shard leases last far longer than the test (shorter on MariaDB, which has no wake-ups), so one that gets the
    shards was given them."""
    cluster = await make_cluster(kind, HORAE_SHARD_LEASE="3s" if kind == "mysql" else "10m")
    first = await cluster.start_scheduler()
    await eventually(owns_all, cluster, first.id)
    second = await cluster.start_scheduler()
    assert await first.stop() == 0
    assert first.id not in await cluster.shards()
    await eventually(owns_all, cluster, second.id)
    assert [row["id"] for row in await cluster.ask("SELECT id FROM schedulers")] == [second.id]


async def owns_all(cluster: Cluster, scheduler_id: str) -> bool:
    return await cluster.shards() == {scheduler_id: 64}
