"""What bounds a project's wait behind another's backlog: a separate queue, or the other's quota."""

from typing import Any

import pytest

from horae.domain.errors import QuotaReached
from horae.domain.runs.attempt import Attempt
from tests.contract.test_quotas import limit, other
from tests.contract.working import Prompt, working
from tests.contract.world import World
from tests.waiting import until

__all__ = ["other"]

BACKLOG = 200


class Noting(Prompt):
    """Remembers in which order runs began."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    async def execute(self, attempt: Attempt) -> Any:
        self.begun.append(attempt.run.id)
        return await super().execute(attempt)


async def place_of(world: World, run_id: str, count: int) -> int:
    """How many runs began before it, on a worker that serves all queues with two slots."""
    executor = Noting()
    async with working(await world.later(), executor, slots=2, prefetch=0):
        await until(lambda: len(executor.begun) == count, timeout=60)
    return executor.begun.index(run_id)


@pytest.mark.parametrize("queue", ["default", "quiet"])
async def test_a_run_behind_the_backlog_of_another_project(world: World, other: World, queue: str) -> None:
    await world.trigger(await world.job(max_instances=None), BACKLOG)
    (run,) = await other.trigger(await other.job(queue=queue))
    place = await place_of(world, run.id, BACKLOG + 1)
    assert place == BACKLOG if queue == "default" else place <= 10


async def test_a_quota_bounds_what_a_run_can_wait_for(world: World, other: World) -> None:
    job = await world.job(max_instances=None)
    await limit(world, live_runs=5)
    await world.trigger(job, 5)
    with pytest.raises(QuotaReached):
        await world.trigger(job)
    (run,) = await other.trigger(await other.job())
    assert await place_of(world, run.id, 6) == 5
