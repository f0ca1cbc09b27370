"""Four schedulers fire while up to a thousand edits go in: nothing fires twice, nothing is lost, and every edit was
saved, or refused as stale."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from horae.domain.errors import StaleVersion
from horae.domain.jobs.job_record import JobRecord
from tests.contract.ledger import assert_accounted_over_edits, runs_of
from tests.contract.world import Row, World

pytestmark = pytest.mark.timeout(900)  # long on a busy machine

SCHEDULERS, EDITORS, JOBS, ROUNDS = 4, 4, 8, 12
EDITS = {"sqlite": 100, "postgresql": 1000, "mysql": 150}
SCHEDULES = (
    *({"every": "1s"}, {"every": "3s"}, {"every": "7s", "jitter": 2}, {"every": "1m"}),
    *({"cron": "* * * * * *"}, {"cron": "*/5 * * * * *"}, {"cron": "* * * * *"}, {"manual": True}),
)
POLICIES = (
    {"overlap": "allow", "catch_up": "all", "catch_up_window": 90},
    {"overlap": "skip", "catch_up": "last"},
    {"overlap": "queue_one", "catch_up": "none"},
    {"overlap": "allow", "catch_up": "first", "catch_up_window": 60},
)


async def test_schedulers_and_editors_at_once(world: World) -> None:
    chance = random.Random(3)
    jobs = [await world.job(**chance.choice(SCHEDULES), **chance.choice(POLICIES)) for _ in range(JOBS)]
    edits = EDITS[world.kind] // (ROUNDS * EDITORS) + 1
    results: Counter[str] = Counter()
    seconds = 0.0
    for number in range(ROUNDS):
        seconds += chance.choice((1, 10, 25, 45, 130))
        async with AsyncExitStack() as stack:
            crowd = [
                await World.open(world.url, stack, shift=seconds, connections=1) for _ in range(SCHEDULERS + EDITORS)
            ]
            done = asyncio.Event()
            firing = [asyncio.create_task(keep_firing(one, done)) for one in crowd[:SCHEDULERS]]
            seeds = [chance.randrange(10**9) for _ in range(EDITORS)]
            try:
                await asyncio.gather(
                    *(
                        keep_editing(one, jobs, edits, random.Random(seed), results)
                        for one, seed in zip(crowd[SCHEDULERS:], seeds, strict=True)
                    )
                )
            finally:
                done.set()
                await asyncio.gather(*firing)
            if number == ROUNDS - 1:
                await settle(crowd[0], jobs)
    assert sum(results.values()) >= EDITS[world.kind]
    assert set(results) <= {"saved", "stale"}
    assert results["saved"] > results["stale"] > 0
    assert sum([(await world.look(job)).version - 1 for job in jobs]) == results["saved"]
    for job in jobs:
        await assert_accounted_over_edits(world, job)
        times = await runs_of(world, job)
        assert len(times) == len(set(times))


async def keep_firing(world: World, done: asyncio.Event) -> None:
    while not done.is_set():
        await world.fire(limit=3)


async def keep_editing(
    world: World, jobs: list[JobRecord], count: int, chance: random.Random, results: Counter[str]
) -> None:
    """Reads a job and saves it with another schedule, unless it changed meanwhile; sometimes pauses or disables it."""
    for number in range(count):
        job = await world.look(chance.choice(jobs))
        change: Row = {"description": f"{chance.random()}", **chance.choice(SCHEDULES), **chance.choice(POLICIES)}
        try:
            await world.edit(job, expect=job.version, **change)
            results["saved"] += 1
        except StaleVersion:
            results["stale"] += 1
        if number % 10 == 0:
            await chance.choice((world.pause, world.disable))(job)
        if number % 10 == 5:
            for job in jobs:
                await world.resume(job)
                await world.enable(job)


async def settle(world: World, jobs: list[JobRecord]) -> None:
    for job in jobs:
        await world.enable(job)
        await world.resume(job)
    while (await world.fire()).jobs:
        pass
