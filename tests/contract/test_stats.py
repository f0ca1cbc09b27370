"""Counters: exact at any moment, before, while and after they are rolled up."""

import asyncio
from datetime import timedelta

from horae.domain.runs.statistics import Hour
from horae.ports import Transaction
from tests.contract.world import FAILED, INTERRUPTED, PERMANENT, TIMED_OUT, World

NOTHING = dict.fromkeys(("succeeded", "failed", "cancelled", "skipped", "retries", "timed_out", "duration_ms"), 0)


async def counted(world: World) -> dict[str, int]:
    return {name: count for name, count in (await world.totals()).items() if count and name != "duration_ms"}


async def test_nothing_adds_up_to_nothing(world: World) -> None:
    assert await world.totals() == NOTHING
    assert await world.roll_up() == 0


async def test_every_kind_of_end_is_counted_once(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    for _ in range(3):
        await world.ended(job)
    await world.ended(job, PERMANENT)
    (queued,) = await world.trigger(job)
    await world.cancel(queued)
    run = await world.running(job)
    await world.finish(run, outcome=FAILED)
    await world.finish(*await world.claim(), outcome=TIMED_OUT)
    await world.trigger(job)
    await world.finish(*await world.claim(), outcome=INTERRUPTED)
    await world.finish(*await world.claim())
    expected = {"succeeded": 4, "failed": 2, "cancelled": 1, "retries": 1, "timed_out": 1}
    assert await counted(world) == expected
    while await world.roll_up(limit=2):
        assert await counted(world) == expected
    assert await counted(world) == expected
    assert await world.rows("SELECT id FROM stat_deltas") == []
    (row,) = await world.rows("SELECT * FROM job_stats")
    assert {name: row[name] for name in expected} == expected


async def test_jobs_are_counted_apart(world: World) -> None:
    one, two = await world.jobs(2)
    await world.ended(one)
    await world.ended(two)
    await world.ended(two, PERMANENT)
    await world.roll_up()
    rows = {row["job_id"]: (row["succeeded"], row["failed"]) for row in await world.rows("SELECT * FROM job_stats")}
    assert rows == {one.id: (1, 0), two.id: (1, 1)}


async def test_runs_are_counted_by_hour_and_status(world: World) -> None:
    job = await world.job()
    start = await world.now()
    await world.ended(job)
    later = await world.later(hours=2)
    await later.ended(job)
    await later.ended(job, PERMANENT)
    await world.roll_up()
    await later.ended(job)
    await world.roll_up()
    rows = await world.rows("SELECT * FROM run_stats ORDER BY hour, status")
    hours = [start.replace(minute=0, second=0, microsecond=0) + timedelta(hours=n) for n in (0, 2, 2)]
    assert [row["hour"] for row in rows] == hours
    assert [(row["status"], row["runs"]) for row in rows] == [("succeeded", 1), ("failed", 1), ("succeeded", 2)]


async def test_hours_are_exact_before_and_after_they_are_rolled_up(world: World) -> None:
    one, two = await world.jobs(2)
    await world.ended(one)
    later = await world.later(hours=2)
    await later.ended(one)
    await later.ended(one, PERMANENT)
    await later.ended(two)

    async def hours(count: int, job_id: str | None = None) -> list[tuple[int, int]]:
        async def read(tx: Transaction) -> list[Hour]:
            return await tx.stats.hours(later.project, count, job_id)

        return [(hour.ended["succeeded"], hour.ended["failed"]) for hour in await later.store.read(read)]

    for _ in range(3):
        assert await hours(4) == [(0, 0), (1, 0), (0, 0), (2, 1)]
        assert await hours(2, one.id) == [(0, 0), (1, 1)]
        await world.roll_up(limit=2)
    await later.ended(two)  # a part of the hour is rolled up, a part is not
    assert await hours(1) == [(3, 1)]
    assert await hours(1, two.id) == [(2, 0)]


async def test_the_counters_of_a_deleted_job_stay(world: World) -> None:
    for rolled in (True, False):
        job = await world.job()
        await world.ended(job)
        if rolled:
            await world.roll_up()
        await world.trigger(job)
        await world.delete(job)
    assert await counted(world) == {"succeeded": 2, "cancelled": 2}
    await world.roll_up()
    assert await counted(world) == {"succeeded": 2, "cancelled": 2}


async def test_roll_ups_at_once_count_each_addition_once(world: World) -> None:
    jobs = await world.jobs(5)
    for job in jobs:
        await world.trigger(job, 8)
    for _ in range(20):
        await world.finish(*await world.claim(2))
    crowd = await world.crowd(4)

    async def roll(one: World) -> int:
        return sum([await one.roll_up(limit=3) for _ in range(12)])

    additions = len(await world.rows("SELECT id FROM stat_deltas"))
    assert sum(await asyncio.gather(*map(roll, crowd))) == additions
    assert await counted(world) == {"succeeded": 40}
    assert {row["succeeded"] for row in await world.rows("SELECT succeeded FROM job_stats")} == {8}
    assert sum(row["runs"] for row in await world.rows("SELECT runs FROM run_stats")) == 40


async def test_totals_are_exact_while_they_are_rolled_up(world: World) -> None:
    job = await world.job()
    await world.trigger(job, 60)
    for run in await world.claim(60):
        await world.finish(run)
    crowd = await world.crowd(2)
    seen: set[object] = set()

    async def look() -> None:
        while await world.rows("SELECT id FROM stat_deltas"):
            seen.add((await crowd[0].totals())["succeeded"])
            seen.add((await crowd[0].look(job)).last_status)

    async def roll() -> None:
        while await crowd[1].roll_up(limit=3):
            pass

    await asyncio.gather(look(), roll())
    assert seen == {60, "succeeded"}


async def test_an_older_roll_up_that_comes_late_does_not_hide_how_it_went_last(world: World) -> None:
    job = await world.job()
    await world.ended(job)
    (older,) = await world.rows("SELECT id FROM stat_deltas")
    # Someone else is at the older addition, and slow: this scheduler rolls up the newer one first.
    await world.execute("UPDATE stat_deltas SET id = :last WHERE id = :id", last="f" + older["id"][1:], id=older["id"])
    await (await world.later(minutes=5)).ended(job, PERMANENT)
    assert await world.roll_up(limit=1) == 1
    assert (await world.look(job)).last_status == "failed"
    assert await world.roll_up(limit=1) == 1
    assert (await world.look(job)).last_status == "failed"
    assert (await world.rows("SELECT last_status FROM job_stats")) == [{"last_status": "failed"}]
