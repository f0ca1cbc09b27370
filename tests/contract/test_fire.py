"""Fire: each occurrence becomes one run or one skipped row, exactly once, whichever scheduler fires and however
often."""

import asyncio
from datetime import timedelta

import pytest

from horae.domain.errors import DuplicateKey
from horae.domain.runs.states import RunStatus
from horae.ports import Transaction
from tests.contract.kinds import on_postgresql, on_servers
from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import FAILED, World

HOUR = timedelta(hours=1)


async def test_a_due_job_gets_its_run_and_goes_on(world: World) -> None:
    job = await world.job(every="1h", priority=7, queue="slow")
    fired = await world.fire()
    assert (fired.jobs, fired.runs, fired.skipped) == (1, 1, 0)
    (run,) = await world.live()
    assert (run["status"], run["trigger"], run["attempt"], run["held"]) == ("queued", "schedule", 0, False)
    assert run["occurrence"] == run["scheduled_for"] == run["due_at"] == job.next_run_at
    assert (run["queue"], run["priority"], run["needs"]) == ("slow", 7, "python:work")
    assert run["scheduler_id"] is not None
    after = await world.look(job)
    assert job.next_run_at is not None
    assert (after.fired_through, after.next_run_at) == (job.next_run_at, job.next_run_at + HOUR)
    assert after.version == 1


async def test_only_what_is_due_fires(world: World) -> None:
    soon = await world.job(every="1h", start_at=await world.now() + HOUR)
    await world.job(manual=True)
    await world.job(every="1h", enabled=False)
    fired = await world.fire()
    assert (fired.jobs, await world.live()) == (0, [])
    assert fired.idle_for == pytest.approx(3600, abs=60)
    later = await world.later(hours=1, seconds=1)
    assert (await later.fire()).runs == 1
    assert [run["job_id"] for run in await world.live()] == [soon.id]


async def test_what_is_paused_or_disabled_does_not_fire(world: World) -> None:
    for state in ("paused = :yes", "enabled = :no"):
        job = await world.job(every="1h")
        column, _, value = state.partition(" = :")
        await world.execute(f"UPDATE jobs SET {column} = :value WHERE id = :id", value=value == "yes", id=job.id)
    assert (await world.fire()).jobs == 0
    assert (await world.fire()).idle_for is None


async def test_with_nothing_to_come_there_is_no_time_to_wait_for(world: World) -> None:
    assert (await world.fire()).idle_for is None


async def test_firing_twice_fires_once(world: World) -> None:
    await world.job(every="1h")
    assert (await world.fire()).runs == 1
    assert (await world.fire()).jobs == 0
    assert len(await world.live()) == 1


async def test_only_jobs_of_the_given_shards_fire(world: World) -> None:
    jobs = await world.jobs(20, every="1h")
    shard = {row["id"]: row["shard"] for row in await world.rows("SELECT id, shard FROM jobs")}
    assert len(set(shard.values())) > 5, "jobs are spread over the shards"
    mine = {shard[jobs[0].id], shard[jobs[1].id]}
    await world.fire(shards=mine)
    fired = {row["job_id"] for row in await world.live()}
    assert fired == {job.id for job in jobs if shard[job.id] in mine}
    assert (await world.fire(shards=())).jobs == 0
    await world.fire()
    assert len(await world.live()) == 20


async def test_a_batch_is_bounded_and_says_that_there_is_more(world: World) -> None:
    await world.jobs(7, every="1h")
    fired = [await world.fire(limit=3) for _ in range(3)]
    assert [(one.jobs, one.idle_for == 0) for one in fired] == [(3, True), (3, True), (1, False)]
    assert len(await world.live()) == 7


async def test_the_oldest_fire_first(world: World) -> None:
    old = await world.job(every="1h")
    await world.job(every="1h", start_at=await world.now() + timedelta(minutes=1))
    later = await world.later(minutes=2)
    await later.fire(limit=1)
    assert {row["job_id"] for row in await world.live()} == {old.id}


async def test_many_schedulers_at_once_fire_each_occurrence_once(world: World) -> None:
    jobs = await world.jobs(60, every="20s", overlap="allow")
    crowd = [await world.later(seconds=45) for _ in range(4)]

    async def fire_all(one: World) -> None:
        while (await one.fire(limit=7)).idle_for == 0:
            pass

    await asyncio.gather(*map(fire_all, crowd))
    rows = await world.live()
    assert len(rows) == 180
    assert len({(row["job_id"], row["occurrence"]) for row in rows}) == 180
    for job in jobs[:3]:
        await assert_complete(world, job)


async def test_schedulers_that_fire_over_and_over_lose_and_double_nothing(world: World) -> None:
    jobs = await world.jobs(10, every="10s", overlap="allow")
    for seconds in (0, 15, 25, 31, 45):
        crowd = [await world.later(seconds=seconds) for _ in range(3)]
        await asyncio.gather(*(one.fire() for one in crowd))
    await (await world.later(seconds=45)).fire()  # what someone else was just at
    for job in jobs:
        await assert_complete(world, job)
        assert await skipped_of(world, job) == []
        assert len(await runs_of(world, job)) >= 5


@on_servers
async def test_a_locked_job_is_skipped_and_fired_next_time(world: World) -> None:
    busy, free = await world.jobs(2, every="1h")
    async with world.holding("SELECT id FROM jobs WHERE id = :id FOR UPDATE", id=busy.id):
        fired = await world.fire()
        assert [run["job_id"] for run in await world.live()] == [free.id]
        assert fired.idle_for == 0, "it is due, so look again soon"
    assert (await world.fire()).runs == 1


@on_postgresql
async def test_triggering_a_job_does_not_keep_it_from_firing(world: World) -> None:
    job = await world.job(every="1h", overlap="allow")

    async def trigger_and_fire(tx: Transaction) -> int:
        await tx.jobs.head(world.project, job.id)
        return (await (await world.later()).fire()).runs

    assert await world.store.transact(trigger_and_fire) == 1


async def test_a_failure_in_the_middle_leaves_nothing_half_written(world: World) -> None:
    good = await world.job(every="1h")
    bad = await world.job(every="1h", overlap="allow")
    later = await world.later(hours=5)
    (other,) = await world.trigger(await world.job())
    assert bad.next_run_at is not None
    await world.execute(
        "UPDATE runs SET occurrence = :at, job_id = :job WHERE id = :id",
        at=bad.next_run_at + 5 * HOUR,
        job=bad.id,
        id=other.id,
    )
    before = [await world.look(job) for job in (good, bad)]
    with pytest.raises(DuplicateKey):
        await later.fire()
    assert [await world.look(job) for job in (good, bad)] == before
    assert [run["id"] for run in await world.live()] == [other.id]
    assert await world.history() == []
    assert await world.rows("SELECT id FROM stat_deltas") == []


# ---- lateness and catch-up


async def test_occurrences_less_than_a_minute_late_all_fire(world: World) -> None:
    job = await world.job(every="20s", overlap="allow")
    later = await world.later(seconds=45)
    assert (await later.fire()).runs == 3
    assert await skipped_of(world, job) == []
    await assert_complete(world, job)


@pytest.mark.parametrize(
    ("catch_up", "runs", "missed"),
    [("last", [4], [4]), ("first", [0], [4]), ("all", [0, 1, 2, 3, 4], []), ("none", [], [5])],
)
async def test_after_downtime_the_catch_up_rule_chooses(
    world: World, catch_up: str, runs: list[int], missed: list[int]
) -> None:
    job = await world.job(every="1h", catch_up=catch_up)
    later = await world.later(hours=4, minutes=30)
    await later.fire()
    assert job.next_run_at is not None
    assert [(at - job.next_run_at) / HOUR for at in await runs_of(world, job)] == runs
    assert await skipped_of(world, job) == [("missed", count) for count in missed]
    await assert_complete(world, job)
    assert (await later.fire()).jobs == 0
    assert (await world.look(job)).next_run_at == job.next_run_at + 5 * HOUR


async def test_caught_up_runs_run_one_after_the_other(world: World) -> None:
    await world.job(every="1h", catch_up="all", max_instances=1)
    later = await world.later(hours=2, minutes=30)
    await later.fire()
    order = []
    for _ in range(3):
        (run,) = await later.claim()
        order.append(run.scheduled_for)
        await later.finish(run)
    assert order == sorted(order, key=str)
    assert await world.live() == []


async def test_outside_of_the_window_nothing_is_caught_up(world: World) -> None:
    job = await world.job(every="1h", catch_up="all", catch_up_window=7200, overlap="queue_all")
    await (await world.later(hours=6, minutes=30)).fire()
    assert len(await runs_of(world, job)) == 2
    assert await skipped_of(world, job) == [("missed", 5)]
    await assert_complete(world, job)


async def test_a_year_of_minutes_is_caught_up_in_one_row(world: World) -> None:
    job = await world.job(cron="* * * * *")
    later = await world.later(days=365)
    fired = await later.fire()
    assert (fired.runs, fired.skipped) == (1, 1)
    ((reason, count),) = await skipped_of(world, job)
    assert reason == "missed"
    assert count > 525_000
    await assert_complete(world, job)


async def test_skipped_rows_are_counted(world: World) -> None:
    await world.job(every="1h", catch_up="none")
    later = await world.later(hours=9, minutes=30)
    await later.fire()
    assert (await world.totals())["skipped"] == 10
    await world.roll_up()
    assert (await world.totals())["skipped"] == 10


# ---- options


async def test_jitter_moves_the_due_time_and_nothing_else(world: World) -> None:
    start = await world.now() + timedelta(minutes=1)
    for job in await world.jobs(5, every="1h", start_at=start, jitter=600):
        assert job.next_run_at == start
    await (await world.later(minutes=1, seconds=5)).fire()
    rows = await world.live()
    assert {row["occurrence"] for row in rows} == {start}
    assert all(start <= row["due_at"] < start + timedelta(minutes=10) for row in rows)
    assert len({row["due_at"] for row in rows}) == 5


async def test_the_last_of_max_runs_ends_the_schedule(world: World) -> None:
    job = await world.job(every="10s", max_runs=3, overlap="allow")
    await world.fire()
    later = await world.later(seconds=45)
    assert (await later.fire()).runs == 2
    assert (await world.look(job)).next_run_at is None
    assert len(await world.live()) == 3


async def test_a_one_time_job_fires_once(world: World) -> None:
    job = await world.job(at=await world.now() + HOUR)
    later = await world.later(hours=1, seconds=1)
    assert (await later.fire()).runs == 1
    assert (await world.look(job)).next_run_at is None
    assert (await (await world.later(hours=9)).fire()).jobs == 0


async def test_start_within_bounds_the_wait_from_when_it_is_due(world: World) -> None:
    await world.job(every="1h", start_within=90)
    await world.fire()
    (run,) = await world.live()
    assert run["start_by"] == run["due_at"] + timedelta(seconds=90)


# ---- edits


async def test_an_edit_never_brings_an_occurrence_back(world: World) -> None:
    start = await world.now()
    job = await world.job(every="10s", start_at=start, overlap="allow")
    await (await world.later(seconds=35)).fire()
    fired = await runs_of(world, job)
    await world.edit(job, every="5s", start_at=start, overlap="allow")
    after = await world.look(job)
    assert after.fired_through == fired[-1]
    assert after.next_run_at is not None
    assert after.next_run_at > fired[-1]
    await (await world.later(seconds=50)).fire()
    times = await runs_of(world, job)
    assert len(times) == len(set(times))
    assert times[: len(fired)] == fired


async def test_an_edit_back_and_forth_never_lowers_what_was_fired(world: World) -> None:
    job = await world.job(every="10s", overlap="allow")
    await (await world.later(seconds=25)).fire()
    through = (await world.look(job)).fired_through
    for change in ({"manual": True}, {"every": "7s"}, {"cron": "* * * * *"}, {"every": "10s"}):
        assert (await world.edit(job, **change)).fired_through == through


async def test_an_edit_and_a_firing_at_once_agree(world: World) -> None:
    for _ in range(3):
        job = await world.job(every="10s", overlap="allow")
        one, two = await world.later(seconds=15), await world.later(seconds=15)
        await asyncio.gather(one.fire(), two.edit(job, every="7s"))
        while (await one.fire()).jobs:
            pass
        times = await runs_of(world, job)
        assert len(times) == len(set(times))
        after = await world.look(job)
        assert after.version == 2
        (run_versions,) = {row["version"] for row in await world.live(job) if row["scheduled_for"] >= after.anchor_at}
        assert run_versions == 2


async def test_what_came_due_before_an_edit_is_accounted_for(world: World) -> None:
    """Invariant 2: the schedulers were down for hours, then a user changes the schedule."""
    job = await world.job(every="1h", catch_up="all", overlap="queue_all")
    later = await world.later(hours=3, minutes=30)
    await later.edit(job, every="2h")
    await later.fire()
    rows = [*await world.live(job), *await world.history(job)]
    assert sum(row.get("occurrences", 1) for row in rows if row["version"] == 1) == 4


async def test_a_failed_run_does_not_stop_the_schedule(world: World) -> None:
    job = await world.job(every="1h", retry={"max_attempts": 1})
    await world.fire()
    await world.finish(*await world.claim(), outcome=FAILED)
    await (await world.later(hours=1, seconds=1)).fire()
    assert len(await runs_of(world, job)) == 2
    assert [row["status"] for row in await world.history(job)] == [RunStatus.FAILED]
