"""A trigger without a transaction: on PostgreSQL a run is queued by one statement, which holds only if its job is still
as it was read. In between, anything may happen to the job."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from horae.domain.errors import Conflict, InvalidInput, NotFound, QuotaReached
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.task import describe
from horae.domain.runs.events import RunsQueued
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import Trigger
from horae.lifecycle import submit
from horae.lifecycle.functions import delete_function
from horae.ports import Transaction
from tests.contract.cost import counted
from tests.contract.kinds import on_postgresql
from tests.contract.test_functions import TARGET, change, register
from tests.contract.test_quotas import limit
from tests.contract.world import World

pytestmark = on_postgresql


async def trigger_while(world: World, job: JobRecord, meanwhile: Callable[[], Awaitable[Any]]) -> list[RunRecord]:
    """`meanwhile` happens once, after the trigger has read the job."""
    tries: list[bool] = []

    async def verb(tx: Transaction, **asked: Any) -> list[RunRecord]:
        head = tx.jobs.recent_head if tx.alone else tx.jobs.head

        async def read(*args: Any, **how: Any) -> Any:
            found = await head(*args, **how)
            if not tries:
                tries.append(tx.alone)
                await meanwhile()
            return found

        tx.jobs.head = tx.jobs.recent_head = read  # type: ignore[method-assign]
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


async def test_observers_are_notified_of_a_single_run(world: World) -> None:
    heard: list[Any] = []
    world.store.observers = (heard.append,)
    (run,) = await world.trigger(await world.job())
    assert [each.id for event in heard if isinstance(event, RunsQueued) for each in event.runs] == [run.id]


async def test_a_second_trigger_is_one_statement(world: World) -> None:
    """The first one has read the job; the statement that adds the run checks that nothing about it has changed."""
    await register(world, FunctionSign.of(describe(nothing, name="mail.send")))
    job = await world.job(target={"kind": "python", "function": "mail.send"})
    observed, meter = await counted(world, 1)
    await observed.trigger(job)
    meter.round_trips.clear()
    await observed.trigger(job)
    assert len(meter.round_trips) == 1, meter.round_trips


async def test_a_remembered_job_that_was_deleted_is_gone(world: World) -> None:
    job = await triggered(world)
    await (await world.later()).delete(job)
    with pytest.raises(NotFound):
        await world.trigger(job)


async def test_a_name_is_not_remembered_longer_than_it_is_the_jobs(world: World) -> None:
    job, other = await triggered(world), await world.later()
    await ask(world, job.spec.name)
    await other.edit(job, name="renamed")
    with pytest.raises(NotFound):
        await ask(world, job.spec.name)
    heir = await other.job(name=job.spec.name)
    assert (await ask(world, job.spec.name)).job_id == heir.id


async def test_a_remembered_job_that_was_edited_runs_as_it_is_now(world: World) -> None:
    job, other = await triggered(world), await world.later()
    for priority in (7, 8):
        await other.edit(job, priority=priority)
        (run,) = await world.trigger(job)
        assert run.priority == priority


async def test_limits_and_quotas_hold_for_jobs_that_were_remembered_without(world: World) -> None:
    job, other = await triggered(world), await world.later()
    await limit(other, live_runs=1)
    with pytest.raises(QuotaReached):
        await world.trigger(job)
    await limit(other, live_runs=None)
    await world.trigger(job)
    await other.edit(job, max_instances=1, overlap="queue_all")
    assert [run.held for run in await world.trigger(job)] == [True]


async def test_a_function_that_changed_is_asked_as_it_is_now(world: World) -> None:
    await register(world)
    job, other = await triggered(world, target=TARGET), await world.later()
    await register(other, FunctionSign.of(describe(two, name="mail.send")))
    with pytest.raises(InvalidInput, match="subject"):
        await world.trigger(job)
    await register(other)
    await world.trigger(job)
    await change(other, is_active=False)
    with pytest.raises(Conflict, match="is disabled"):
        await world.trigger(job)
    await change(other, is_active=True)
    await world.trigger(job)
    await other.store.transact(delete_function, name="mail.send", actor="tester")
    await world.trigger(job)  # and waits for a worker
    await register(other, FunctionSign.of(describe(two, name="mail.send")))
    with pytest.raises(InvalidInput, match="subject"):
        await world.trigger(job)


async def triggered(world: World, **definition: Any) -> JobRecord:
    job = await world.job(**definition)
    await world.trigger(job)
    return job


async def ask(world: World, ref: str) -> RunRecord:
    asked: Any = {"runs": [submit.TriggerRequest(world.ids.new())], "trigger": Trigger.API, "actor": "tester"}
    (run,) = await world.store.autocommit(submit.trigger, project_id=world.project, ref=ref, **asked)
    return run


def nothing() -> None: ...


def two(customer: int, subject: str) -> None: ...
