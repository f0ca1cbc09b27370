"""A quota of live runs under real concurrency: schedulers, people, workers and jobs that follow others all at once.
An observer on another connection checks that the limit is never exceeded and every occurrence is accounted for."""

import asyncio
from contextlib import AsyncExitStack, suppress

import pytest

from horae.domain.errors import QuotaReached
from tests.contract.ledger import assert_complete
from tests.contract.test_quotas import limit
from tests.contract.world import SUCCEEDED, World

pytestmark = pytest.mark.timeout(600)  # long on a busy machine

LIMIT = 7
ROUNDS = (30, 60, 90, 120)  # seconds


async def test_the_limit_holds_and_no_occurrence_is_lost(world: World) -> None:
    first = await world.job(name="first", every="30s", overlap="allow")
    scheduled = [first, *[await world.job(every="10s", overlap="queue_all", catch_up="all") for _ in range(3)]]
    for _ in range(2):
        await world.job(after={"job": "first", "on": "any"}, overlap="queue_all")
    by_hand = await world.job(manual=True)
    await limit(world, live_runs=LIMIT)
    seen: list[int] = []
    for seconds in ROUNDS:
        async with AsyncExitStack() as stack:
            worlds = [await World.open(world.url, stack, shift=seconds, connections=1) for _ in range(6)]
            done = asyncio.Event()
            watching = asyncio.create_task(_watch(worlds[0], seen, done))
            try:
                await asyncio.gather(
                    _fire(worlds[1]), _fire(worlds[2]), _trigger(worlds[3], by_hand.id), *map(_work, worlds[4:])
                )
            finally:
                done.set()
                await watching
    assert 1 < max(seen) <= LIMIT
    later = await world.later(seconds=ROUNDS[-1] + 60)
    while runs := await later.claim():
        await later.finish(*runs, outcome=SUCCEEDED)
    await later.trigger(by_hand, LIMIT)  # all places are free again
    with pytest.raises(QuotaReached):
        await later.trigger(by_hand)
    for job in scheduled:
        await assert_complete(later, job)


async def _watch(world: World, seen: list[int], done: asyncio.Event) -> None:
    while not done.is_set():
        (row,) = await world.rows("SELECT COUNT(*) AS n FROM runs")
        seen.append(int(row["n"]))


async def _fire(world: World) -> None:
    for _ in range(5):
        await world.fire(limit=2)


async def _trigger(world: World, job: str) -> None:
    for _ in range(10):
        with suppress(QuotaReached):
            await world.trigger(job)


async def _work(world: World) -> None:
    for _ in range(8):
        for run in await world.claim(2):
            await world.finish(run)
