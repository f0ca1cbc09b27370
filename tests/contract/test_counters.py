"""Counters take less room as they get older, and add up to the same."""

import asyncio
from datetime import timedelta

from horae.domain.jobs.retention import DAY, Retention
from horae.domain.runs.statistics import Hour
from horae.domain.text.ids import NIL
from horae.lifecycle.prune import Pruned, prune
from tests.contract.noting import noted
from tests.contract.world import PERMANENT, World

KEEP = Retention(runs=30 * DAY, logs=30 * DAY)  # hours for 90 days, days for three years


async def by_day(world: World, count: int, job_id: str | None = None) -> list[Hour]:
    found = await world.store.read(lambda tx: tx.stats.days(world.project, count, job_id))
    return [day for day in found if any(day.ended.values())]


async def age(world: World, days: float, *, limit: int = 500) -> World:
    """So many days later, when schedulers have done what is due."""
    later = await world.later(days=days)
    pruned = Pruned(0, NIL, more=True)
    while pruned.more:
        pruned = await later.store.transact(prune, keep=KEEP, after=pruned.through, limit=limit)
    return later


async def some_days(world: World) -> None:
    """Two jobs, three days, some hours of each."""
    one, other = await world.job(), await world.job()
    midnight = (await world.now()).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    first = await world.later(seconds=(midnight - await world.now()).total_seconds())
    for hours in (1, 2, 5, 30, 31, 50):
        later = await first.later(hours=hours)
        await later.ended(one)
        await later.ended(other, PERMANENT)
        await later.ended(other)
    await first.roll_up()


async def test_old_hours_become_days(world: World) -> None:
    await some_days(world)
    before = await by_day(await world.later(days=5), 10)
    assert [sum(day.ended.values()) for day in before] == [9, 6, 3]
    assert len(await world.rows("SELECT job_id FROM run_stats")) == 18
    later = await age(world, 89)
    assert len(await world.rows("SELECT job_id FROM run_stats")) == 18
    later = await age(world, 99, limit=2)
    assert await world.rows("SELECT job_id FROM run_stats") == []
    assert len(await world.rows("SELECT job_id FROM run_days")) == 9
    assert await by_day(later, 120) == before
    assert sum(day.duration_ms for day in before) == (await world.totals())["duration_ms"]


async def test_days_are_part_hours_part_days_and_part_not_summed_at_all(world: World) -> None:
    job = await world.job()
    await world.ended(job)
    await world.roll_up()
    later = await age(world, 99)
    await later.ended(job)
    await later.roll_up()
    await later.ended(job)
    for job_id in (None, job.id):
        assert [day.ended["succeeded"] for day in await by_day(later, 120, job_id)] == [1, 2]


async def test_old_days_go(world: World) -> None:
    await some_days(world)
    await age(world, 1_000, limit=2)
    assert len(await world.rows("SELECT job_id FROM run_days")) == 9
    await age(world, 1_200, limit=2)
    assert await world.rows("SELECT job_id FROM run_days") == []
    assert (await world.totals())["succeeded"] == 12


async def test_schedulers_that_sum_at_once_count_nothing_twice(world: World) -> None:
    await some_days(world)
    before = await by_day(await world.later(days=5), 10)
    await asyncio.gather(*(age(one, 99, limit=2) for one in await world.crowd(3)))
    assert await by_day(await world.later(days=99), 120) == before


async def test_nothing_to_sum_costs_one_question_for_each_table(world: World) -> None:
    await some_days(world)
    later, notes = await noted(await world.later(days=80))
    await later.store.transact(prune, keep=KEEP)
    asked = [sql for sql in notes.statements if "run_stats" in sql or "run_days" in sql]
    assert len(asked) == 2
    assert all(sql.startswith("SELECT") for sql in asked)
