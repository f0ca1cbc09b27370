"""Caught-up runs: exactly what the rule says, one after the other, in the order of their occurrences; then the schedule
goes on as ever."""

from datetime import datetime, timedelta

import pytest

from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import FAILED, World

MINUTE = timedelta(minutes=1)


async def work_off(world: World) -> list[datetime]:
    """Claims and finishes until nothing is left; in which order, and never two at a time."""
    order: list[datetime] = []
    while runs := await world.claim():
        (run,) = runs
        assert run.scheduled_for is not None
        order.append(run.scheduled_for)
        await world.finish(run)
    return order


async def a_coming_minute(world: World) -> datetime:
    """Not the very next, which may begin before there is a job."""
    return (await world.now()).replace(second=0, microsecond=0) + 2 * MINUTE


async def in_the_middle(world: World, minute: datetime) -> World:
    """Half a minute after it: that this machine is slow makes nothing else due."""
    return await world.later(seconds=(minute - await world.now()).total_seconds() + 30)


@pytest.mark.parametrize("max_instances", [1, 3])
async def test_three_hours_of_minutes(world: World, max_instances: int) -> None:
    start = await a_coming_minute(world)
    job = await world.job(cron="* * * * *", start_at=start, catch_up="all", max_instances=max_instances)
    later = await in_the_middle(world, start + 180 * MINUTE)
    fired = await later.fire()
    assert (fired.jobs, fired.runs, fired.skipped) == (1, 181, 0)
    assert (await later.fire()).jobs == 0
    rows = await world.live()
    assert [bool(row["held"]) for row in rows] == [False] + [True] * 180
    order = await work_off(later)
    assert order == await runs_of(world, job) == [start + n * MINUTE for n in range(181)]
    assert await world.live() == []
    await assert_complete(world, job)
    # And then as ever: each minute its run.
    for minutes in (181, 182):
        after = await in_the_middle(world, start + minutes * MINUTE)
        assert (await after.fire()).runs == 1
        await after.finish(*await after.claim())
    assert await skipped_of(world, job) == []
    await assert_complete(world, job)


@pytest.mark.parametrize(
    ("catch_up", "window", "runs", "missed"),
    [("last", 86_400, 1, 180), ("first", 86_400, 1, 180), ("none", 86_400, 0, 181), ("all", 1_800, 30, 151)],
)
async def test_the_other_rules(world: World, catch_up: str, window: int, runs: int, missed: int) -> None:
    start = await a_coming_minute(world)
    job = await world.job(cron="* * * * *", start_at=start, catch_up=catch_up, catch_up_window=window)
    later = await in_the_middle(world, start + 180 * MINUTE)
    fired = await later.fire()
    assert fired.runs == runs
    assert await skipped_of(world, job) == [("missed", missed)]
    times = await runs_of(world, job)
    expected = {
        "last": [start + 180 * MINUTE],
        "first": [start],
        "none": [],
        "all": [start + n * MINUTE for n in range(151, 181)],
    }
    assert times == expected[catch_up]
    assert await work_off(later) == times
    await assert_complete(world, job)


async def test_a_thousand_at_most(world: World) -> None:
    job = await world.job(every="60s", catch_up="all", catch_up_window=864_000)
    later = await world.later(days=3)
    assert (await later.fire()).runs == 1000
    ((reason, missed),) = await skipped_of(world, job)
    assert (reason, missed) == ("missed", 3321)
    await assert_complete(world, job)
    order = []
    for _ in range(3):
        (run,) = await later.claim()
        order.append(run.scheduled_for)
        await later.finish(run)
    assert order == (await runs_of(world, job))[:3]


async def test_new_runs_use_the_free_places_during_catch_up(world: World) -> None:
    """Three places: one for those that are caught up, the others for a new occurrence and for a person."""
    job = await world.job(every="1h", catch_up="all", max_instances=3)
    later = await world.later(hours=4, minutes=59, seconds=30)
    assert (await later.fire()).runs == 5
    (now,) = await later.trigger(job)
    assert now.held is False, "two places are free"
    next_hour = await world.later(hours=5)
    assert (await next_hour.fire()).runs == 1
    claimed = await next_hour.claim()
    assert [run.trigger for run in claimed].count("schedule") == 2
    assert len(claimed) == 3
    await next_hour.finish(*claimed)
    await work_off(next_hour)
    await assert_complete(world, job)


@pytest.mark.parametrize("active", [0, 1])
async def test_a_second_outage_queues_behind_the_first(world: World, active: int) -> None:
    """Whether all of the first are done but one, or none: at no time two of them run."""
    job = await world.job(every="1h", catch_up="all", max_instances=3)
    later = await world.later(hours=2, minutes=30)
    assert (await later.fire()).runs == 3
    order = []
    for _ in range(2 * active):
        (run,) = await later.claim()
        order.append(run.scheduled_for)
        await later.finish(run)
    last = await world.later(hours=5, minutes=30)
    assert (await last.fire()).runs == 3
    order += await work_off(last)
    assert order == await runs_of(world, job)
    assert len(order) == 6
    assert await world.live() == []
    await assert_complete(world, job)


async def test_a_retry_is_waited_for(world: World) -> None:
    retry = {"max_attempts": 2, "delay": 60, "jitter": 0}
    job = await world.job(every="1h", catch_up="all", max_instances=3, retry=retry)
    later = await world.later(hours=2, minutes=30)
    await later.fire()
    (first,) = await later.claim()
    await later.finish(first, outcome=FAILED)
    assert await later.claim() == [], "the next comes when this one is through"
    after = await world.later(hours=2, minutes=32)
    order = await work_off(after)
    assert order == await runs_of(world, job)


async def test_a_cancelled_one_makes_way_for_the_next(world: World) -> None:
    await world.job(every="1h", catch_up="all")
    later = await world.later(hours=3, minutes=30)
    await later.fire()
    first, second, third, fourth = await later.live()
    await later.cancel(first, third)
    assert [run.id for run in await later.claim()] == [second["id"]]
    lost = await world.later(hours=3, minutes=31)
    await lost.recover()
    assert [run.id for run in await (await world.later(hours=3, minutes=40)).claim()] == [second["id"]]
    await lost.cancel(fourth)
    assert len(await world.live()) == 1


async def test_a_higher_limit_or_none_lets_the_rest_go(world: World) -> None:
    """With a limit, still one after the other; without any, nothing can be held."""
    job = await world.job(every="1h", catch_up="all", max_instances=1)
    later = await world.later(hours=3, minutes=30)
    await later.fire()
    await later.edit(job, max_instances=3)
    assert len(await later.claim()) == 1
    await later.edit(job, overlap="allow")
    assert len(await later.claim()) == 3
