"""Disabled jobs do not fire; enabling one starts from now, and one skipped row covers the time in between."""

import asyncio
from datetime import datetime, timedelta

import pytest

from horae.domain.jobs.standing import job_status
from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import Row, World

HOUR = timedelta(hours=1)


async def disabled_rows(world: World) -> list[tuple[int, datetime, datetime]]:
    rows = [row for row in await world.history() if row["reason"] == "disabled"]
    return [(row["occurrences"], row["scheduled_for"], row["scheduled_until"]) for row in rows]


async def test_a_disabled_job_has_no_next_occurrence_and_fires_nothing(world: World) -> None:
    job = await world.job(every="1h")
    off = await world.disable(job)
    assert (off.enabled, off.next_run_at, off.version) == (False, None, 1)
    later = await world.later(hours=9)
    assert (await later.fire()).jobs == 0
    assert job_status(await world.look(job), await later.now()) == "disabled"
    assert await world.live() == await world.history() == []


async def test_enabling_starts_from_now_and_one_skipped_row_covers_the_gap(world: World) -> None:
    job = await world.job(every="1h", catch_up="all")
    await world.fire()
    await (await world.later(minutes=30)).disable(job)
    later = await world.later(hours=5, minutes=30)
    on = await later.enable(job)
    first = job.next_run_at
    assert first is not None
    assert (on.enabled, on.next_run_at) == (True, first + 6 * HOUR)
    assert on.fired_through == first + 5 * HOUR
    assert await disabled_rows(world) == [(5, first + HOUR, first + 5 * HOUR)]
    assert (await later.fire()).jobs == 0, "nothing of it is caught up"
    assert (await later.totals())["skipped"] == 5
    await assert_complete(world, job)


async def test_a_short_time_off_leaves_no_row(world: World) -> None:
    job = await world.job(every="1h")
    await world.fire()
    await world.disable(job)
    on = await (await world.later(minutes=30)).enable(job)
    assert job.next_run_at is not None
    assert on.next_run_at == job.next_run_at + HOUR
    assert await world.history() == []
    await (await world.later(hours=1, seconds=1)).fire()
    await assert_complete(world, job)


async def test_created_disabled(world: World) -> None:
    job = await world.job(every="1h", enabled=False)
    assert (job.enabled, job.next_run_at, job.fired_through) == (False, None, None)
    later = await world.later(hours=2, minutes=30)
    on = await later.enable(job)
    assert await disabled_rows(world) == [(3, job.anchor_at, job.anchor_at + 2 * HOUR)]
    assert on.next_run_at == job.anchor_at + 3 * HOUR
    await assert_complete(world, job)


async def test_an_instant_that_passed_while_disabled_does_not_run(world: World) -> None:
    at = await world.now() + HOUR
    job = await world.job(at=at, catch_up="all")
    await world.disable(job)
    later = await world.later(hours=2)
    on = await later.enable(job)
    assert on.next_run_at is None
    assert await disabled_rows(world) == [(1, at, at)]
    assert (await later.fire()).jobs == 0
    assert job_status(on, await later.now()) == "finished"
    await later.disable(job)
    assert (await later.enable(job)).next_run_at is None
    assert len(await disabled_rows(world)) == 1


async def test_an_instant_that_was_past_when_the_job_was_created_disabled(world: World) -> None:
    at = await world.now() - HOUR
    job = await world.job(at=at, enabled=False)
    assert (await world.enable(job)).next_run_at is None
    assert await disabled_rows(world) == [(1, at, at)]
    assert (await world.fire()).jobs == 0


async def test_an_instant_to_come_is_waited_for(world: World) -> None:
    at = await world.now() + 2 * HOUR
    job = await world.job(at=at, enabled=False)
    on = await (await world.later(hours=1)).enable(job)
    assert on.next_run_at == at
    later = await world.later(hours=2, seconds=1)
    assert (await later.fire()).runs == 1
    assert await world.history() == []


async def test_a_job_that_reached_max_runs_stays_finished(world: World) -> None:
    job = await world.job(every="10s", max_runs=2, overlap="allow")
    later = await world.later(seconds=15)
    assert (await later.fire()).runs == 2
    await later.disable(job)
    on = await (await world.later(hours=1)).enable(job)
    assert on.next_run_at is None, "no occurrences are left"
    assert await world.history() == [], "and so none was skipped"


async def test_what_is_queued_and_running_is_left_alone_and_run_now_works(world: World) -> None:
    job = await world.job(every="1h", overlap="queue_all")
    await world.fire()
    await world.trigger(job)
    before = await world.live()
    await world.disable(job)
    assert await world.live() == before
    (now,) = await world.trigger(job)
    for _ in range(3):
        await world.finish(*await world.claim())
    assert (await world.find(now)).status == "succeeded"
    assert await world.live() == []


async def test_twice_is_the_same_as_once(world: World) -> None:
    job = await world.job(every="1h")
    for _ in range(2):
        assert not (await world.disable(job)).enabled
    later = await world.later(hours=2, minutes=30)
    first = await later.enable(job)
    assert await later.enable(job) == first
    assert len(await disabled_rows(world)) == 1
    await assert_complete(world, job)


async def test_on_and_off_over_and_over_accounts_for_everything_once(world: World) -> None:
    job = await world.job(cron="* * * * *", overlap="allow")
    for hours in range(1, 6):
        later = await world.later(hours=hours)
        await (later.disable if hours % 2 else later.enable)(job)
        await later.fire()
    last = await world.later(hours=6)
    await last.enable(job)
    await last.fire()
    await assert_complete(world, job)
    assert {reason for reason, _ in await skipped_of(world, job)} == {"disabled", "missed"}


async def test_time_off_counts_from_the_last_edit_on(world: World) -> None:
    """Between the last daily occurrence and the edit there were none of the new schedule."""
    job = await world.job(every="1d")
    await world.fire()
    edited = await (await world.later(hours=10)).edit(job, cron="* * * * *")
    assert edited.next_run_at is not None
    await (await world.later(hours=10)).disable(job)
    await (await world.later(hours=11)).enable(job)
    ((count, first, _),) = await disabled_rows(world)
    assert first == edited.next_run_at
    assert count in (60, 61)
    await assert_complete(world, job)


async def test_enabling_a_paused_job_leaves_it_paused(world: World) -> None:
    job = await world.job(every="1h")
    await world.pause(job)
    await world.disable(job)
    later = await world.later(hours=1, minutes=30)
    on = await later.enable(job)
    assert (on.enabled, on.paused) == (True, True)
    last = await world.later(hours=4, minutes=30)
    assert (await last.fire()).jobs == 0
    await last.resume(job)
    assert (await last.fire()).runs == 1
    assert await skipped_of(world, job) == [("disabled", 2), ("missed", 2)]
    await assert_complete(world, job)


@pytest.mark.parametrize("schedule", [{"manual": True}, {"after": {"job": "load"}}], ids=["manual", "after"])
async def test_a_job_without_occurrences_has_none_to_account_for(world: World, schedule: Row) -> None:
    await world.job(name="load")
    job = await world.job(**schedule, enabled=False)
    on = await (await world.later(hours=1)).enable(job)
    assert (on.enabled, on.next_run_at, on.fired_through) == (True, None, None)
    assert await world.history() == []


async def test_disabling_and_firing_at_once_agree(world: World) -> None:
    job = await world.job(every="10s", overlap="allow")
    for n in range(1, 6):
        one, two = await world.later(seconds=10 * n), await world.later(seconds=10 * n)
        await asyncio.gather(one.fire(), two.disable(job))
        fired = await runs_of(world, job)
        assert (await one.fire()).jobs == 0, "whoever was first, it is off now"
        assert await runs_of(world, job) == fired
        await asyncio.gather(one.fire(), two.enable(job))
    await assert_complete(world, job)
