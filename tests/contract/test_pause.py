"""A pause holds a schedule and nothing else; when it ends, the catch-up rule applies, as after an outage."""

import asyncio
from datetime import timedelta

import pytest

from horae.domain.errors import InvalidInput, NotFound
from horae.domain.jobs.standing import job_status
from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import World

HOUR = timedelta(hours=1)


async def test_a_paused_schedule_fires_nothing_and_says_so(world: World) -> None:
    job = await world.job(every="1h")
    paused = await world.pause(job)
    assert (paused.paused, paused.paused_until, paused.version) == (True, None, 1)
    assert paused.next_run_at == job.next_run_at, "it goes on from there"
    later = await world.later(days=3)
    fired = await later.fire()
    assert (fired.jobs, fired.idle_for) == (0, None)
    assert await world.live() == await world.history() == []
    assert job_status(await world.look(job), await later.now()) == "paused"


@pytest.mark.parametrize(
    ("catch_up", "runs", "missed"),
    [("last", [4], [3]), ("first", [1], [3]), ("all", [1, 2, 3, 4], []), ("none", [], [4])],
)
async def test_resuming_applies_the_catch_up_rule(
    world: World, catch_up: str, runs: list[int], missed: list[int]
) -> None:
    job = await world.job(every="1h", catch_up=catch_up, overlap="queue_all")
    await world.fire()
    await world.finish(*await world.claim())
    await world.pause(job)
    later = await world.later(hours=4, minutes=30)
    assert (await later.fire()).jobs == 0
    resumed = await later.resume(job)
    assert (resumed.paused, resumed.paused_until) == (False, None)
    assert await world.live() == [], "a scheduler fires, as after an outage"
    await later.fire()
    assert job.next_run_at is not None
    assert [(at - job.next_run_at) / HOUR for at in await runs_of(world, job)] == [0, *runs]
    assert await skipped_of(world, job) == [("missed", count) for count in missed]
    await assert_complete(world, job)
    assert (await world.look(job)).next_run_at == job.next_run_at + 5 * HOUR


async def test_a_short_pause_makes_its_occurrences_merely_late(world: World) -> None:
    job = await world.job(every="20s", overlap="allow", catch_up="none")
    await world.fire()
    await world.pause(job)
    later = await world.later(seconds=50)
    await later.resume(job)
    assert (await later.fire()).runs == 2
    assert await skipped_of(world, job) == []
    await assert_complete(world, job)


async def test_a_pause_ends_by_itself_exactly_once(world: World) -> None:
    """Four schedulers see it end; the rule is applied once, to what came up to then."""
    job = await world.job(every="1h", catch_up="all", overlap="queue_all")
    await world.fire()
    await world.pause(job, until=await world.now() + timedelta(hours=2, minutes=30))
    early = await world.later(hours=2)
    assert (await early.fire()).jobs == 0
    crowd = [await world.later(hours=2, minutes=30, seconds=1) for _ in range(4)]
    fired = await asyncio.gather(*(one.fire() for one in crowd))
    fired.append(await crowd[0].fire())  # what someone else was just at
    assert sum(one.runs for one in fired) == 2
    after = await world.look(job)
    assert (after.paused, after.paused_until) == (False, None)
    assert len(await runs_of(world, job)) == 3
    await assert_complete(world, job)


async def test_a_scheduler_knows_when_a_pause_ends(world: World) -> None:
    """Nothing else may be due: without a hint the scheduler would sleep through it."""
    job = await world.job(every="1h")
    await world.fire()
    await world.pause(job, until=await world.now() + timedelta(seconds=30))
    idle_for = (await world.fire()).idle_for
    assert idle_for is not None
    assert 20 < idle_for <= 30


async def test_a_pause_that_ended_does_not_end_the_next_one(world: World) -> None:
    job = await world.job(every="1h")
    await world.pause(job, until=await world.now() + HOUR)
    later = await world.later(hours=1, minutes=30)
    again = await later.pause(job, until=None)
    assert (again.paused, again.paused_until) == (True, None)
    assert (await later.fire()).jobs == 0
    longer = await later.pause(job, until=await later.now() + HOUR)
    assert longer.paused_until is not None
    assert (await later.fire()).jobs == 0
    assert (await world.look(job)).paused


async def test_what_is_queued_and_running_is_left_alone(world: World) -> None:
    job = await world.job(every="1h", max_instances=2, overlap="queue_all")
    await world.fire()
    await world.trigger(job, 2)
    before = await world.live()
    await world.pause(job)
    assert await world.live() == before
    running = await world.claim()
    assert len(running) == 2
    await world.finish(*running)
    await world.finish(*await world.claim())
    assert [row["status"] for row in await world.history(job)] == ["succeeded"] * 3


async def test_run_now_works_while_paused(world: World) -> None:
    job = await world.job(every="1h")
    await world.pause(job)
    (run,) = await world.trigger(job)
    assert run.held is False
    await world.finish(*await world.claim())
    assert (await world.find(run)).status == "succeeded"
    assert (await world.look(job)).paused


async def test_pausing_and_resuming_twice_is_the_same_as_once(world: World) -> None:
    job = await world.job(every="1h")
    for _ in range(2):
        assert (await world.pause(job)).paused
    for _ in range(2):
        assert not (await world.resume(job)).paused
    assert (await world.fire()).runs == 1
    await assert_complete(world, job)


async def test_only_a_future_instant_ends_a_pause(world: World) -> None:
    job = await world.job(every="1h")
    with pytest.raises(InvalidInput, match="until: must be in the future"):
        await world.pause(job, until=await world.now())
    assert not (await world.look(job)).paused
    for verb in (world.pause, world.resume, world.disable, world.enable):
        with pytest.raises(NotFound):
            await verb("nobody")


async def test_a_pause_and_a_firing_at_once_agree(world: World) -> None:
    job = await world.job(every="10s", overlap="allow")
    one = two = world
    for n in range(1, 6):
        one, two = await world.later(seconds=10 * n), await world.later(seconds=10 * n)
        await asyncio.gather(one.fire(), two.pause(job))
        fired = await runs_of(world, job)
        assert (await one.fire()).jobs == 0, "whoever was first, it is paused now"
        assert await runs_of(world, job) == fired
        await two.resume(job)
    while (await two.fire()).jobs:
        pass
    await assert_complete(world, job)
    assert len(await runs_of(world, job)) >= 6
