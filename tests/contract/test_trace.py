"""The caller's trace context is kept by its run through retries, history and followers."""

from __future__ import annotations

from horae.domain.runs.states import Trigger
from horae.lifecycle.submit import TriggerRequest, trigger
from tests.contract.world import FAILED, IDS, World

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TRACE_ID = TRACEPARENT[3:35]


async def triggered(world: World, job: str, project_id: str, traceparent: str | None = TRACEPARENT) -> str:
    asked = TriggerRequest(IDS.new(), traceparent=traceparent)
    (run,) = await world.store.transact(
        trigger, project_id=project_id, ref=job, runs=[asked], trigger=Trigger.API, actor="tester"
    )
    assert run.traceparent == traceparent
    return run.id


async def test_from_the_queue_over_retries_to_history(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    run_id = await triggered(world, job.id, job.project_id)
    (claimed,) = await world.claim()
    assert claimed.traceparent == TRACEPARENT
    await world.finish(claimed, outcome=FAILED)
    (again,) = await world.claim()
    assert (again.attempt, again.traceparent) == (2, TRACEPARENT)
    await world.finish(again)
    ended = await world.find(again)
    assert (ended.id, ended.status, ended.trace_id) == (run_id, "succeeded", TRACE_ID)


async def test_what_follows_it_is_in_its_trace(world: World) -> None:
    first = await world.job()
    second = await world.job(schedule={"after": {"job": first.spec.name}})
    await triggered(world, first.id, first.project_id)
    await world.finish(*await world.claim())
    (follower,) = await world.claim()
    assert (follower.job_id, follower.traceparent) == (second.id, TRACEPARENT)


async def test_without_one_the_run_has_its_own_trace(world: World) -> None:
    job = await world.job()
    run_id = await triggered(world, job.id, job.project_id, None)
    (claimed,) = await world.claim()
    assert claimed.traceparent is None
    assert (await world.find(claimed)).trace_id == run_id.replace("-", "")


async def test_some_of_a_batch_have_one(world: World) -> None:
    job = await world.job()
    asked = [TriggerRequest(IDS.new(), traceparent=TRACEPARENT), TriggerRequest(IDS.new())]
    made = await world.store.transact(
        trigger, project_id=job.project_id, ref=job.id, runs=asked, trigger=Trigger.API, actor="tester"
    )
    assert {run.id: run.traceparent for run in made} == {asked[0].run_id: TRACEPARENT, asked[1].run_id: None}
