"""Failing streaks and last successes are right in whichever order ends are rolled up, and beside an old version, which
does not keep them."""

from __future__ import annotations

from typing import Any

from horae.domain.jobs.job_record import JobRecord
from tests.contract.watching import evaluate, fail, rules, worker
from tests.contract.world import PERMANENT, SUCCEEDED, World


async def roll_up(world: World, order: list[int]) -> None:
    """Rolls up the ends that are waiting one by one, in this order of their times."""
    ends = await world.rows("SELECT id FROM stat_deltas ORDER BY at")
    for place in order:
        await world.execute(
            "UPDATE stat_deltas SET id = :new WHERE id = :old", old=ends[place]["id"], new=world.ids.new()
        )
    for _ in order:
        await world.store.transact(lambda tx: tx.stats.roll_up(1))
    assert await world.rows("SELECT id FROM stat_deltas") == []


async def ends(world: World, job: JobRecord, outcomes: str) -> None:
    for letter in outcomes:
        await world.ended(job, PERMANENT if letter == "F" else SUCCEEDED)


async def standing(world: World, job: JobRecord) -> dict[str, Any]:
    (row,) = await world.rows(
        "SELECT failing_streak, failing_since, last_status, last_success_at, last_failure_at FROM job_stats "
        "WHERE job_id = :id",
        id=job.id,
    )
    return row


async def test_failures_that_are_rolled_up_late_count(world: World) -> None:
    late, ordered = await world.job(), await world.job()
    await ends(world, late, "FFF")
    await roll_up(world, [2, 0, 1])
    found = await standing(world, late)
    assert found["failing_streak"] == 3
    assert found["failing_since"] < found["last_failure_at"]
    await ends(world, ordered, "FFF")
    await roll_up(world, [0, 1, 2])
    assert (await standing(world, ordered))["failing_streak"] == 3


async def test_a_success_that_is_rolled_up_late_ends_the_streak_before_it(world: World) -> None:
    job = await world.job()
    await ends(world, job, "FF")
    await world.roll_up()
    await ends(world, job, "SF")
    await roll_up(world, [1, 0])
    found = await standing(world, job)
    assert (found["failing_streak"], found["last_status"]) == (1, "failed")
    assert found["last_success_at"] < found["failing_since"]


async def test_a_failure_that_is_rolled_up_after_a_later_success_is_over(world: World) -> None:
    job = await world.job()
    await ends(world, job, "FS")
    await roll_up(world, [1, 0])
    found = await standing(world, job)
    assert (found["failing_streak"], found["failing_since"], found["last_status"]) == (0, None, "succeeded")
    assert found["last_failure_at"] < found["last_success_at"]


async def test_a_success_that_an_old_version_rolled_up_ends_the_streak(world: World) -> None:
    job = await world.job(alert={"failing": 2, "no_success_for": "1h"})
    await worker(world)
    await fail(world, job)
    await world.roll_up()
    old = "UPDATE job_stats SET last_status = 'succeeded', last_run_at = :now WHERE job_id = :id"
    later = await world.later(hours=2)
    await worker(later)
    await later.execute(old, id=job.id, now=await later.now())
    await evaluate(later)
    assert await rules(later) == []
    after = await world.later(hours=2, minutes=1)
    await fail(after, job)
    await evaluate(after)
    assert (await standing(after, job))["failing_streak"] == 1
