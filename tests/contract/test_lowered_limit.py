"""A limit that is lowered or newly set holds the surplus back: what already runs runs on, and nothing else starts until
the limit is kept again."""

from datetime import timedelta

import pytest

from tests.contract.world import FAILED, World, ids


async def _started(world: World) -> int:
    return len(await world.claim(50))


@pytest.mark.parametrize(("before", "queued"), [(5, 5), (None, 20)])
async def test_the_surplus_that_is_queued_waits(world: World, before: int | None, queued: int) -> None:
    job = await world.job(max_instances=before)
    runs = await world.trigger(job, queued)
    await world.edit(job, max_instances=1)
    order = []
    while claimed := await world.claim(50):
        (run,) = claimed
        order.append(run.id)
        await world.finish(run)
    assert order == [run.id for run in runs], "all of them, one after the other, the oldest first"


async def test_running_runs_beyond_a_lowered_limit_continue_and_hold_back_others(world: World) -> None:
    job = await world.job(max_instances=5)
    await world.trigger(job, 5)
    first, second, third = await world.claim(3)
    await world.edit(job, max_instances=2)
    assert await _started(world) == 0
    await world.finish(first)
    assert await _started(world) == 0, "two are still under way"
    await world.finish(second)
    assert await _started(world) == 1
    await world.finish(third)
    assert await _started(world) == 1


async def test_a_retry_does_not_come_back_beyond_the_limit(world: World) -> None:
    job = await world.job(max_instances=2, retry={"max_attempts": 3, "delay": 0})
    await world.trigger(job, 2)
    first, second = await world.claim()
    await world.edit(job, max_instances=1)
    await world.finish(first, outcome=FAILED)
    assert await _started(world) == 0
    await world.finish(second)
    (again,) = await world.claim()
    assert (again.id, again.attempt) == (first.id, 2)


async def test_the_rule_of_a_rollback_is_the_same(world: World) -> None:
    job = await world.job(max_instances=1)
    await world.edit(job, max_instances=4)
    await world.trigger(job, 4)
    await world.rollback(job, 1)
    assert await _started(world) == 1


async def test_raised_again_it_lets_them_go(world: World) -> None:
    job = await world.job(max_instances=4)
    await world.trigger(job, 4)
    await world.edit(job, max_instances=1)
    await world.edit(job, max_instances=3)
    assert await _started(world) == 3


async def test_a_backfill_has_its_own_places(world: World) -> None:
    now = await world.now()
    job = await world.job(every="1h", start_at=now - timedelta(hours=10), max_instances=1)
    await world.backfill(job, now - timedelta(hours=5), now - timedelta(hours=1), parallelism=3)
    await world.edit(job, max_instances=1, description="another")
    await world.trigger(job)
    triggers = [run.trigger for run in await world.claim(50)]
    assert triggers.count("backfill") == 3
    assert len(triggers) == 4


async def test_nothing_is_lost_of_what_waits(world: World) -> None:
    job = await world.job(max_instances=3)
    runs = await world.trigger(job, 6)
    await world.edit(job, max_instances=1)
    await world.edit(job, max_instances=None, overlap="allow")
    assert ids(await world.claim(50)) == {run.id for run in runs}
