"""A trigger without a transaction: on PostgreSQL a run is queued by one statement, which holds only if its job is still
as it was read. In between, anything may happen to the job."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from horae.domain.errors import NotFound, QuotaReached
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.events import RunsQueued
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import Trigger
from horae.lifecycle import submit
from horae.ports import Transaction
from tests.contract.kinds import on_postgresql
from tests.contract.test_quotas import limit
from tests.contract.world import World

pytestmark = on_postgresql


async def trigger_while(world: World, job: JobRecord, meanwhile: Callable[[], Awaitable[Any]]) -> list[RunRecord]:
    """`meanwhile` happens once, after the trigger has read the job."""
    tries: list[bool] = []

    async def verb(tx: Transaction, **asked: Any) -> list[RunRecord]:
        head = tx.jobs.head

        async def read(*args: Any, **how: Any) -> Any:
            found = await head(*args, **how)
            if not tries:
                tries.append(tx.alone)
                await meanwhile()
            return found

        tx.jobs.head = read  # type: ignore[method-assign]
        return await submit.trigger(tx, **asked)

    asked = {"runs": [submit.TriggerRequest(world.ids.new())], "trigger": Trigger.API, "actor": "tester"}
    try:
        return await world.store.autocommit(verb, project_id=world.project, ref=job.id, **asked)
    finally:
        assert tries == [True]


async def test_a_job_that_was_deleted_meanwhile_gets_no_run(world: World) -> None:
    job, other = await world.job(), await world.later()
    with pytest.raises(NotFound):
        await trigger_while(world, job, lambda: other.delete(job))
    assert await world.rows("SELECT id FROM runs") == []


async def test_a_job_that_was_edited_meanwhile_runs_as_it_is_now(world: World) -> None:
    job, other = await world.job(), await world.later()
    (run,) = await trigger_while(world, job, lambda: other.edit(job, priority=7))
    assert (run.version, run.priority) == (2, 7)


async def test_a_job_that_got_a_limit_meanwhile_keeps_to_it(world: World) -> None:
    job, other = await world.job(), await world.later()
    await world.trigger(job)
    (run,) = await trigger_while(world, job, lambda: other.edit(job, max_instances=1, overlap="queue_all"))
    assert run.held


async def test_limits_and_quotas_hold_without_it(world: World) -> None:
    """They take places in a transaction, though the trigger begins without one."""
    gated = await world.job(max_instances=1, overlap="queue_all")
    assert [run.held for run in [*await world.trigger(gated), *await world.trigger(gated)]] == [False, True]
    await limit(world, live_runs=3)
    await world.trigger(gated)
    with pytest.raises(QuotaReached):
        await world.trigger(gated)


async def test_those_who_hear_of_runs_hear_of_these(world: World) -> None:
    heard: list[Any] = []
    world.store.observers = (heard.append,)
    (run,) = await world.trigger(await world.job())
    assert [each.id for event in heard if isinstance(event, RunsQueued) for each in event.runs] == [run.id]
