"""Partitions of PostgreSQL: ready in time, dropped when they are empty and past retention, and never waited for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from horae.domain.errors import InUse
from horae.domain.runs.claim import Claimed
from horae.store.dialects.months import months, smallest_id
from horae.store.open import choose
from tests.contract.kinds import on_postgresql
from tests.contract.noting import noted
from tests.contract.world import PERMANENT, World, ids

MONTH = 31  # days


async def say_and_end(world: World, run: Claimed) -> None:
    await world.finish(run, logs=[await world.line(run, "hello")])


async def partitions(world: World, table: str) -> set[str]:
    rows = await world.rows(
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = CAST(:t AS regclass)", t=table
    )
    return {row["name"].removeprefix(f"{table}_") for row in rows}


def names(now: datetime) -> set[str]:
    return {f"{first:%Y_%m}" for first, _ in months(now)}


def id_at(at: datetime) -> str:
    """A UUIDv7 that could have been made at that time."""
    return str(UUID(int=UUID(smallest_id(at)).int | 0x7000_8000_0000_0000_0001))


@on_postgresql
async def test_this_month_and_the_next_have_partitions_from_the_start(world: World) -> None:
    for table in ("run_history", "run_logs"):
        assert await partitions(world, table) == {"rest", *names(await world.now())}
    assert len(names(await world.now())) == 4


@on_postgresql
async def test_rows_land_in_the_partition_of_their_month(world: World) -> None:
    run = await world.running()
    await say_and_end(world, run)
    month = f"{await world.now():%Y_%m}"
    for table, column in (("run_history", "id"), ("run_logs", "run_id")):
        (row,) = await world.rows(
            f"SELECT tableoid::regclass::text AS name FROM {table} WHERE {column} = :id", id=run.id
        )
        assert row["name"] == f"{table}_{month}"


@on_postgresql
async def test_the_months_to_come_are_prepared_in_time_and_once(world: World) -> None:
    later = await world.later(days=62)
    for _ in range(2):
        await later.partition(days=99)
        expected = {"rest", *names(await world.now()), *names(await later.now())}
        assert await partitions(world, "run_history") == await partitions(world, "run_logs") == expected


@on_postgresql
async def test_schedulers_prepare_at_once_and_under_load(world: World) -> None:
    await world.trigger(await world.job(), 40)
    crowd = [await world.later(days=150) for _ in range(3)]

    async def work() -> None:
        while runs := await world.claim(4):
            await world.finish(*runs)

    async def prepare(one: World) -> None:
        with suppress(InUse):
            await one.partition()

    await asyncio.gather(work(), *map(prepare, crowd))
    await crowd[0].partition()  # those that were in each other's way come back later
    assert names(await crowd[0].now()) < await partitions(world, "run_history")
    assert len(await world.history()) == 40


@on_postgresql
async def test_a_month_whose_rows_came_before_its_partition_stays_in_the_rest(world: World) -> None:
    """No partitions were created for months, so rows of that month are already in the default partition."""
    far = await world.later(days=200)
    job = await world.job()
    run_id = id_at(await far.now())
    await world.trigger(job, id=run_id)
    (run,) = await world.claim()
    await say_and_end(world, run)
    await far.partition()
    month = f"{await far.now():%Y_%m}"
    assert month not in await partitions(world, "run_history")
    assert month not in await partitions(world, "run_logs")
    assert names(await far.now()) - {month} < await partitions(world, "run_history")
    assert (await world.find(run_id)).status == "succeeded"
    assert len(await world.log_of(run_id)) == 1
    other = id_at(await far.now() + timedelta(seconds=1))
    await world.trigger(job, id=other)
    await world.finish(*await world.claim())
    assert (await world.find(other)).status == "succeeded"
    assert ids((await world.page()).items) == {run_id, other}


# ---- someone reads the tables for long


@asynccontextmanager
async def backup(world: World) -> AsyncIterator[None]:
    """What pg_dump does: one snapshot, and a lock on every table, until it is done."""
    reader = await choose(world.url, world.clock.now)[1]()
    try:
        await reader.begin()
        await reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        await reader.execute("LOCK TABLE run_history, run_logs IN ACCESS SHARE MODE")
        yield
        await reader.rollback()
    finally:
        await reader.close()


@on_postgresql
async def test_a_backup_postpones_partitions_and_blocks_no_work(world: World) -> None:
    """The wait for the lock is so short that statements queued behind it are not delayed noticeably."""
    later = await world.later(days=2 * MONTH)
    run = await world.running()
    before = await partitions(world, "run_history")
    async with backup(world):
        with pytest.raises(InUse):
            await later.partition()
        await say_and_end(world, run)
        assert await partitions(world, "run_history") == before
    assert (await world.find(run)).status == "succeeded"
    await later.partition()
    assert names(await later.now()) < await partitions(world, "run_history")


@on_postgresql
async def test_nothing_is_asked_of_the_lock_a_second_time(world: World) -> None:
    """A transaction that another was in the way of is repeated at once; this one must not be."""
    later = await world.later(days=2 * MONTH)
    later, notes = await noted(later)
    async with backup(world):
        with pytest.raises(InUse):
            await later.partition()
    first, *further = [sql for sql in notes.statements if sql.startswith(("LOCK", "SET LOCAL lock_timeout"))]
    assert first == "SET LOCAL lock_timeout = '50ms'"
    assert further == ["LOCK TABLE ONLY run_history IN ACCESS EXCLUSIVE MODE"]


@on_postgresql
async def test_work_goes_on_between_two_tries(world: World) -> None:
    """Finishes come in all the time, partitions are tried all the time, and a backup lasts: all finishes are through
    before the backup is."""
    await world.trigger(await world.job(), 40)
    later = await world.later(days=2 * MONTH)
    async with backup(world):
        while runs := await world.claim(4):
            with suppress(InUse):
                await asyncio.gather(world.finish(*runs), later.partition())
        assert len(await world.history()) == 40


# ---- what is over


@on_postgresql
async def test_empty_months_past_retention_are_dropped(world: World) -> None:
    first = f"{await world.now():%Y_%m}"
    run = await world.running()
    await say_and_end(world, run)
    later = await world.later(days=3 * MONTH)
    await later.partition(days=30)
    assert first in await partitions(world, "run_history"), "it is not empty"
    await later.prune(days=30)
    await later.partition(days=30)
    for table in ("run_history", "run_logs"):
        left = await partitions(world, table)
        assert first not in left
        assert {"rest", *names(await later.now())} <= left


@on_postgresql
async def test_months_within_retention_stay_though_they_are_empty(world: World) -> None:
    first = f"{await world.now():%Y_%m}"
    later = await world.later(days=3 * MONTH)
    await later.partition(days=4 * MONTH)
    assert first in await partitions(world, "run_history")


@on_postgresql
async def test_a_month_with_a_dead_letter_stays(world: World) -> None:
    dead = await world.ended(outcome=PERMANENT)
    later = await world.later(days=5 * MONTH)
    await later.prune(days=30)
    await later.partition(days=30)
    assert ids(await world.history()) == {dead.id}
    assert f"{await world.now():%Y_%m}" in await partitions(world, "run_history")


@on_postgresql
async def test_a_run_of_a_month_that_was_dropped_ends_all_the_same(world: World) -> None:
    run = await world.running(lease=86_400 * 200)
    later = await world.later(days=4 * MONTH)
    await later.partition(days=30)
    assert f"{await world.now():%Y_%m}" not in await partitions(world, "run_history")
    await say_and_end(later, run)
    assert (await world.find(run)).status == "succeeded"
    assert len(await world.log_of(run)) == 1
    assert await (await world.later(days=6 * MONTH)).prune(days=30) == 1


@on_postgresql
async def test_a_backup_postpones_dropping_as_well(world: World) -> None:
    later = await world.later(days=3 * MONTH)
    await later.partition(days=4 * MONTH)  # what is to come is ready
    run = await world.running()
    async with backup(world):
        with pytest.raises(InUse):
            await later.partition(days=30)
        await say_and_end(world, run)
    assert f"{await world.now():%Y_%m}" in await partitions(world, "run_history")
