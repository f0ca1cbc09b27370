"""Gates are locked in one order: all that a transaction needs at once, and runs before the gates that they stand at.
A transaction that waits for one of them holds none of the later ones, so there is no cycle of waiting transactions."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import timedelta

from horae.domain.jobs.job_record import JobRecord
from horae.ports import Transaction
from tests.contract.kinds import on_postgresql
from tests.contract.world import FAILED, IDS, SUCCEEDED, Row, World
from tests.waiting import until


@asynccontextmanager
async def locked(world: World, *, gates: Collection[str] = (), runs: Collection[str] = ()) -> AsyncIterator[None]:
    """Another transaction holds these."""
    held, enough = asyncio.Event(), asyncio.Event()

    async def hold(tx: Transaction) -> None:
        await tx.runs.live(world.project, runs, lock=True)
        await tx.gates.lock(gates)
        held.set()
        await enough.wait()

    other = await world.later()
    holding = asyncio.create_task(other.store.transact(hold))
    await held.wait()
    try:
        yield
    finally:
        enough.set()
        await holding


async def _wait(world: World) -> None:
    """Until a transaction waits for a lock."""

    async def waiting() -> list[Row]:
        return await world.rows(
            "SELECT 1 AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )

    found: list[Row] = await until(waiting)
    assert found


async def _free(world: World, job: JobRecord) -> bool:
    return bool(await world.rows("SELECT job_id FROM job_gates WHERE job_id = :id FOR UPDATE SKIP LOCKED", id=job.id))


async def _two(world: World, **how: object) -> list[JobRecord]:
    return sorted(await world.jobs(2, **how), key=lambda job: job.id)


@on_postgresql
async def test_of_what_is_retried_and_what_has_ended(world: World) -> None:
    first, second = await _two(world, max_instances=2, retry={"max_attempts": 3, "delay": 0})
    ended, retried = await world.running(first), await world.running(second)
    async with locked(world, gates=[first.id]):
        finishing = asyncio.create_task(world.finish(outcomes={ended: SUCCEEDED, retried: FAILED}))
        other = await world.later()
        await _wait(other)
        assert await _free(other, second)
    report = await finishing
    assert (report.ended, report.retried) == (1, 1)


@on_postgresql
async def test_of_what_was_asked_for_later_and_what_is_due(world: World) -> None:
    due, delayed = await _two(world, every="1h", max_instances=1)
    await world.fire()
    await world.finish(*await world.claim())
    await world.trigger(delayed, run_at=await world.now() + timedelta(minutes=30))
    await world.pause(delayed)
    later = await world.later(hours=1, seconds=1)
    async with locked(world, gates=[due.id]):
        firing = asyncio.create_task(later.fire())
        await _wait(world)
        assert await _free(world, delayed)
    assert (await firing).runs == 1
    assert len(await later.claim()) == 2


@on_postgresql
async def test_of_a_limit_that_is_lowered_and_the_runs_under_way(world: World) -> None:
    job = await world.job(max_instances=5)
    newest = (await world.trigger(job, 5))[-1]
    async with locked(world, runs=[newest.id]):
        editing = asyncio.create_task(world.edit(job, max_instances=1))
        other = await world.later()
        await _wait(other)
        assert await _free(other, job), "whoever cancels the run needs the gate"
    await editing
    assert len(await world.claim(50, worker=IDS.new())) == 1
