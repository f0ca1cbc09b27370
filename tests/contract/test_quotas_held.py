"""A transaction that holds a project's quota for long delays that project alone: schedules and ends of others go on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from horae.domain.jobs.job_record import JobRecord
from horae.domain.people.quota import Quota
from horae.ports import Transaction
from horae.processes.duties.duty import Post
from horae.processes.duties.fire import FireDuty
from horae.processes.duties.fire_apart import FireApartDuty
from horae.processes.settings import SchedulerSettings
from tests.contract.kinds import on_servers
from tests.contract.ledger import assert_complete
from tests.contract.test_quotas import limit, other
from tests.contract.working import working
from tests.contract.world import ALL_SHARDS, World, ids, scheduler_sign
from tests.waiting import until

__all__ = ["other"]
pytestmark = on_servers  # where there is one writer, no one else writes while a transaction goes on


@asynccontextmanager
async def holding(world: World) -> AsyncIterator[None]:
    """A client enqueues into the project, in a transaction that stays open."""
    held, done = asyncio.Event(), asyncio.Event()

    async def hold(tx: Transaction) -> None:
        await tx.quotas.lock([world.project], [Quota.LIVE_RUNS])
        held.set()
        await done.wait()

    task = asyncio.create_task((await world.later()).store.transact(hold))
    try:
        await held.wait()
        yield
    finally:
        done.set()
        await task


async def there(rows: Callable[[JobRecord], Awaitable[list[Any]]], job: JobRecord) -> None:
    async def some() -> Any:
        return bool(await rows(job))

    await until(some)


async def test_schedules_of_others_are_fired(world: World, other: World) -> None:
    mine, theirs = await world.job(every="1h"), await other.job(every="1h")
    await limit(world, live_runs=10)
    await limit(other, live_runs=10)
    async with holding(world):
        fired = await other.fire()
        assert (fired.runs, fired.contended) == (1, frozenset({world.project}))
        assert len(await world.live(theirs)) == 1
        assert await world.live(mine) == []
        assert (await other.fire(without=fired.contended)).jobs == 0
        assert (await other.fire_apart(world.project)).contended == {world.project}
    assert (await other.fire_apart(world.project)).runs == 1
    await assert_complete(world, mine)
    await assert_complete(other, theirs)


async def test_many_due_jobs_of_a_contended_project_do_not_fill_the_batch(world: World, other: World) -> None:
    for _ in range(4):
        await world.job(every="1h")
    theirs = await other.job(every="1h")
    await limit(world, live_runs=10)
    async with holding(world):
        first = await other.fire(limit=3)
        assert first.more
        assert (await other.fire(limit=3, without=first.contended)).runs == 1
        assert len(await world.live(theirs)) == 1


async def test_a_scheduler_fires_them_as_soon_as_it_can(world: World, other: World) -> None:
    """Its own loops: one goes on with the others, one waits for the lock."""
    mine, theirs = await world.job(every="1h"), await other.job(every="1h")
    await limit(world, live_runs=10)
    post = Post(
        scheduler_sign(),
        (await world.later()).store,
        SchedulerSettings(batch=1),
        len(ALL_SHARDS),
        world.clock,
        world.ids,
        lambda: False,
        lambda one, other: False,
        shards=list(ALL_SHARDS),
    )
    duties = [FireDuty(post), FireApartDuty(post)]
    tasks = []
    try:
        async with holding(world):
            tasks = [asyncio.create_task(duty.loop.run()) for duty in duties]
            await there(world.live, theirs)
            await until(lambda: [*post.contention] == [world.project])  # which of the two it tries first is chance
            late = await other.job(every="1h")
            await there(world.live, late)
            assert await world.live(mine) == []
        await there(world.live, mine)
        await until(lambda: not post.contention)
    finally:
        for duty in duties:
            duty.loop.stop()
        await asyncio.gather(*tasks)
    for view, job in ((world, mine), (other, theirs), (other, late)):
        await assert_complete(view, job)
        assert len(ids(await view.live(job))) == 1


async def test_ends_of_others_are_reported(world: World, other: World) -> None:
    """One end that starts two jobs needs a place for the second."""
    first, theirs = await world.job(name="first", manual=True), await other.job(manual=True)
    followers = [await world.job(after={"job": "first", "on": "any"}) for _ in range(2)]
    await limit(world, live_runs=10)
    await world.trigger(first)
    await other.trigger(theirs)
    async with AsyncExitStack() as stack:
        async with holding(world):
            worker = await stack.enter_async_context(working(await world.later()))
            await there(other.history, theirs)
            assert len(await world.live(first)) == 1
            assert len(worker.held()) == 1
        await there(world.history, first)
        await until(lambda: not worker.held())
    for follower in followers:
        assert len(await world.live(follower)) + len(await world.history(follower)) == 1
