"""The overlap rules as a table, under real concurrency: schedulers, people, workers, dying workers and the sweep all at
once. An observer on another connection checks that no limit is ever exceeded, and no run held that could start."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from horae.domain.jobs.job_record import JobRecord
from horae.ports import Transaction
from horae.store.store import SqlTransaction
from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import FAILED, SUCCEEDED, Row, World

pytestmark = pytest.mark.timeout(900)  # long on a busy machine

LIMITS = (1, 3)
ROUNDS = (25, 50, 75, 700)  # seconds: two or three occurrences at a time, and at last an outage
TRIGGERS = 2


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "queue_all", "cancel_running", "allow"])
async def test_the_limit_holds_and_nothing_is_held_forever(world: World, overlap: str) -> None:
    jobs = {
        job.id: job
        for limit in LIMITS
        for job in await world.jobs(
            2,
            every="10s",
            overlap=overlap,
            max_instances=limit,
            catch_up="all",
            catch_up_window=60,
            retry={"max_attempts": 2, "delay": 0},
        )
    }
    most: Counter[str] = Counter()
    chance = random.Random(11)
    for seconds in ROUNDS:
        async with AsyncExitStack() as stack:
            one, two, three, four, five, watcher = [
                await World.open(world.url, stack, shift=seconds, connections=1) for _ in range(6)
            ]
            done = asyncio.Event()
            watching = asyncio.create_task(watch(watcher, jobs, most, done))
            try:
                await asyncio.gather(fire(one), fire(two), trigger(three, jobs), work(four, chance), die(five))
            finally:
                done.set()
                await watching
    later = await world.later(seconds=ROUNDS[-1] + 60)
    await drain(later, overlap)
    for job in jobs.values():
        limit = job.spec.gate_limit
        assert most[job.id] >= 1
        assert limit is None or most[job.id] <= limit
        await assert_complete(world, job)
        await check_rule(world, job)
        history = await world.history(job)
        asked_for = [row for row in history if row["trigger"] == "api"]
        assert len(asked_for) == TRIGGERS * len(ROUNDS), "what people ask for is never lost"
        if overlap != "cancel_running":
            assert {row["status"] for row in asked_for} <= {"succeeded", "failed"}


async def fire(world: World) -> None:
    for _ in range(8):
        await world.fire(limit=1)


async def trigger(world: World, jobs: dict[str, JobRecord]) -> None:
    for _ in range(TRIGGERS):
        for job in jobs.values():
            await world.trigger(job)


async def work(world: World, chance: random.Random) -> None:
    for _ in range(8):
        for run in await world.claim(3):
            await world.finish(run, outcome=FAILED if chance.random() < 0.3 else SUCCEEDED)


async def die(world: World) -> None:
    """A worker whose lease has run out as soon as it has something, and the sweep that finds it."""
    for _ in range(5):
        await world.claim(1, lease=0)
        await world.recover()


async def watch(world: World, jobs: dict[str, JobRecord], most: Counter[str], done: asyncio.Event) -> None:
    while not done.is_set():
        for row in await world.store.read(_places):
            limit, under_way = jobs[row["job_id"]].spec.gate_limit, int(row["under_way"])
            most[row["job_id"]] = max(most[row["job_id"]], under_way)
            if limit is None:
                assert not int(row["held"]), "held without a limit"
                continue
            assert under_way <= limit, "the limit is exceeded"
            assert int(row["in_order"]) <= 1, "two that are caught up run at once"
            assert under_way >= limit or not int(row["held"]), "held although a place is free"


async def _places(tx: Transaction) -> list[Row]:
    assert isinstance(tx, SqlTransaction)
    rows = await tx._db.fetch(
        "SELECT job_id, SUM(CASE WHEN held THEN 0 ELSE 1 END) AS under_way, "
        "SUM(CASE WHEN held AND NOT in_order THEN 1 ELSE 0 END) AS held, "
        "SUM(CASE WHEN in_order AND NOT held THEN 1 ELSE 0 END) AS in_order FROM runs GROUP BY job_id"
    )
    return [{name: row[name] for name in ("job_id", "under_way", "held", "in_order")} for row in rows]


async def drain(world: World, overlap: str) -> None:
    """Workers alone complete it: every held run gets its turn."""
    while (await world.fire()).jobs:
        pass
    await world.recover()
    for _ in range(200):
        runs = await world.claim()
        if not runs:
            break
        await world.finish(*runs)
    assert await world.live() == [], f"held for ever by {overlap}"


async def check_rule(world: World, job: JobRecord) -> None:
    """The result of the rule, whichever came first."""
    reasons = {reason for reason, _ in await skipped_of(world, job)}
    assert len(await runs_of(world, job)) >= 3
    if job.spec.overlap in ("allow", "queue_all"):
        assert "overlap" not in reasons
    if job.spec.overlap != "cancel_running":
        assert [row for row in await world.history(job) if row["status"] == "cancelled"] == []
