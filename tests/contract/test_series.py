"""Time series: each end is in exactly one minute, hour and day, and each minute has at most one sample."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

from horae.clock import SystemClock
from horae.domain.jobs.retention import DAY as SECONDS_A_DAY
from horae.domain.jobs.retention import Retention
from horae.domain.runs.series import DAY, HOUR, INSTALLATION, MINUTE, OTHERS, WHOLE, Bucket, Sample, queue_subject
from horae.domain.runs.spread import bucket
from horae.lifecycle.prune import prune
from horae.ports import Transaction
from horae.processes.duties.series import SeriesDuty
from horae.processes.settings import SchedulerSettings
from tests.contract.cost import counted
from tests.contract.watching import post
from tests.contract.wide import copy
from tests.contract.world import PERMANENT, World, worker_sign


async def read(world: World, subject: str = WHOLE, step: int = MINUTE, project_id: str | None = None) -> list[Bucket]:
    """All buckets of this length, in order."""

    async def all_of(tx: Transaction) -> list[tuple[datetime, Bucket]]:
        now, far = await tx.now(), timedelta(days=4_000)
        return await tx.series.read(project_id or world.project, subject, step, now - far, now + far)

    return [found for _, found in await world.store.read(all_of)]


async def record(tx: Transaction, sample: Sample | None) -> bool:
    return sample is not None and await tx.series.record(sample)


async def sample(world: World) -> bool:
    """As the duty does it; whether this was the minute's first."""
    return await world.store.transact(record, await world.store.read(lambda tx: tx.series.sample(180.0)))


async def test_ends_are_in_their_minute_hour_and_day_of_project_queue_and_installation(world: World) -> None:
    mail = await world.job(queue="mail")
    run = await world.running(mail, queues=("mail",))
    await world.finish(run, duration_ms=1_500)
    await world.ended(None, PERMANENT)
    assert await read(world) == [], "not before they are summed"
    await world.roll_up()
    for step in (MINUTE, HOUR, DAY):
        for project_id in (world.project, INSTALLATION):
            whole = await read(world, step=step, project_id=project_id)
            assert sum(one.ended.get("succeeded", 0) for one in whole) == 1
            assert sum(one.ended.get("failed", 0) for one in whole) == 1
            (queue,) = await read(world, queue_subject("mail"), step, project_id)
            assert (queue.ended, queue.duration) == ({"succeeded": 1}, {bucket(1_500): 1})
            assert sum(queue.lateness.values()) == 1


async def test_a_delta_of_an_older_horae_counts_without_a_queue(world: World) -> None:
    await world.ended()
    await world.execute("UPDATE stat_deltas SET detail = NULL")
    await world.ended()
    await world.roll_up()
    assert sum(one.ended["succeeded"] for one in await read(world)) == 2
    (queue,) = await read(world, queue_subject("default"), DAY)
    assert queue.ended == {"succeeded": 1}


async def test_a_damaged_bucket_counts_as_nothing_and_goes_on(world: World) -> None:
    await world.ended()
    await world.roll_up()
    for damage in ("[]", '{"ended": 7, "lateness": [[0, "x"], 3], "queued": "much"}', '{"ended": {"failed": "x"}}'):
        await world.execute("UPDATE series SET data = :damage", damage=damage)
        await world.ended()
        await world.roll_up()
        (day,) = await read(world, step=DAY)
        assert (day.ended, day.queued, sum(day.lateness.values())) == ({"succeeded": 1}, 0, 1)


async def test_roll_ups_at_once_add_each_end_once(world: World) -> None:
    for job in await world.jobs(5):
        await world.trigger(job, 8)
    for _ in range(20):
        await world.finish(*await world.claim(2))
    crowd = await world.crowd(4)

    async def roll(one: World) -> None:
        for _ in range(12):
            await one.roll_up(limit=3)

    await asyncio.gather(*map(roll, crowd))
    for step in (MINUTE, HOUR, DAY):
        assert sum(one.ended["succeeded"] for one in await read(world, step=step)) == 40
        assert sum(sum(one.lateness.values()) for one in await read(world, step=step)) == 40


async def test_a_sample_counts_queued_and_running_runs_and_slots(world: World) -> None:
    sign = worker_sign(slots=7)
    await world.store.transact(lambda tx: tx.processes.register_worker(sign))
    mail, other = await world.job(queue="mail"), await world.job()
    await world.trigger(mail, 3)
    await world.trigger(other, 2)
    later = await world.later(seconds=90)
    await later.claim(1)
    assert await sample(later)
    (whole,), (queue,) = await read(world), await read(world, queue_subject("mail"))
    assert (whole.queued, whole.running, whole.most_queued, whole.slots) == (4, 1, 4, 0)
    assert 90_000 <= whole.oldest_ms < 150_000
    assert (queue.queued, queue.running) == (3, 0)
    (everything,) = await read(world, project_id=INSTALLATION)
    assert (everything.samples, everything.queued, everything.running, everything.slots) == (1, 4, 1, 7)
    (worker,) = await read(world, f"worker:{sign.id}", project_id=INSTALLATION)
    assert (worker.slots, worker.running) == (7, 0)


async def test_a_minute_has_one_sample_however_many_schedulers_take_one(world: World) -> None:
    await world.trigger(await world.job(), 2)
    now = await world.now()
    at_its_middle = await world.later(seconds=90 - now.timestamp() % 60)
    crowd = await at_its_middle.crowd(4)
    found = [await one.store.read(lambda tx: tx.series.sample(180.0)) for one in crowd]
    recorded = await asyncio.gather(
        *(one.store.transact(record, taken) for one, taken in zip(crowd, found, strict=True))
    )
    assert sorted(recorded) == [False, False, False, True]
    assert not await sample(at_its_middle)
    assert [one.samples for one in await read(world, project_id=INSTALLATION)] == [1]
    assert [one.queued for one in await read(world)] == [2]
    await sample(await at_its_middle.later(minutes=1))
    (day, *tomorrow) = await read(world, step=DAY)
    assert sum(one.queued for one in (day, *tomorrow)) == 4


async def test_what_is_past_its_retention_goes(world: World) -> None:
    await world.ended()
    await world.roll_up()
    await sample(world)
    keep = Retention(runs=5_000 * SECONDS_A_DAY, logs=5_000 * SECONDS_A_DAY)
    left = {}
    for days in (1, 3, 80, 92, 1_000, 1_097):
        later = await world.later(days=days)
        while (await later.store.transact(prune, keep=keep)).more:
            pass
        left[days] = [step for step in (MINUTE, HOUR, DAY) if await read(world, step=step)]
    everything = [MINUTE, HOUR, DAY]
    assert left == {1: everything, 3: [HOUR, DAY], 80: [HOUR, DAY], 92: [DAY], 1_000: [DAY], 1_097: []}
    assert await world.rows("SELECT at FROM series") == []


async def test_ending_runs_sends_not_one_statement_more_for_the_time_series(world: World) -> None:
    job = await world.job()
    await world.trigger(job, 3)
    noting, meter = await counted(world, 1)
    await noting.finish(*await world.claim(3))
    about = [sql for sql in meter.round_trips if "series" in sql]
    deltas = [sql for sql in meter.round_trips if "stat_deltas" in sql]
    assert (about, len(deltas)) == ([], 1)


async def test_any_number_of_queues_takes_a_bounded_number_of_rows(world: World) -> None:
    """A job may name any queue, so an editor decides how many there are. What is in no separate bucket is in one for
    all of them."""
    job = await world.job(queue="mail")
    (run,) = await world.trigger(job)
    await world.finish(*await world.claim(1, queues=("mail",)))
    (delta,) = await world.rows("SELECT id FROM stat_deltas")
    (run,) = await world.trigger(job)
    number = "v.n" if world.kind == "sqlite" else "CAST(v.n AS CHAR(6))"
    queue, count = ("'q' || v.n" if world.kind == "sqlite" else f"CONCAT('q', {number})"), 300
    await copy(world, "runs", run.id, count, queue=queue)
    detail = (
        f"'[\"q' || {number} || '\",[5],[7]]'" if world.kind != "mysql" else f"CONCAT('[\"q', {number}, '\",[5],[7]]')"
    )
    await copy(world, "stat_deltas", delta["id"], count, detail=detail)
    now = await world.now()
    later = await world.later(seconds=90 - now.timestamp() % 60)
    taken = await later.store.read(lambda tx: tx.series.sample(180.0))
    assert taken is not None
    assert len(taken.loads) == 101, "a scheduler gets a bounded number, too"
    assert await sample(later)
    await world.roll_up(limit=100)
    while await world.roll_up(limit=100):
        pass
    for project_id, most in ((world.project, 50), (INSTALLATION, 100)):
        rows = await world.rows(
            "SELECT DISTINCT subject FROM series WHERE project_id = :id AND subject LIKE 'queue:%'", id=project_id
        )
        assert len(rows) == most + 1
        subjects = [row["subject"] for row in rows]
        found = [one for subject in subjects for one in await read(world, subject, DAY, project_id)]
        assert sum(one.queued for one in found) == count + 1
        assert sum(one.ended.get("succeeded", 0) for one in found) == count + 1
        assert sum(one.lateness.get(bucket(5), 0) for one in found) >= count
        assert {one.samples for one in found} <= {0, 1}
        (others,) = await read(world, OTHERS, DAY, project_id)
        assert others.queued == others.most_queued == count + 1 - most


class _Passing(SystemClock):
    """Time passes whenever it is read."""

    at = datetime(2026, 11, 18, 5, 0, 59, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(seconds=0.2)
        return self.at


async def test_no_minute_is_left_out_by_a_duty_that_wakes_just_before_it(
    make_database: Callable[..., str], template: Callable[[str], str]
) -> None:
    clock = _Passing()
    async with AsyncExitStack() as stack:
        world = await World.open(make_database("sqlite", like=template("sqlite")), stack, clock=clock)
        duty, ends = SeriesDuty(post(world, SchedulerSettings())), clock.at + timedelta(minutes=20)
        while clock.at < ends:
            pause = await duty.step()
            early = clock.at.minute % 2 * 0.3  # every other time
            clock.at += timedelta(seconds=max(pause - early, 0))
        minutes = await read(world, project_id=INSTALLATION)
        assert [one.samples for one in minutes] == [1] * 21
