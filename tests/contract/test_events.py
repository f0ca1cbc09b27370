"""What happened to runs is told to observers, after the commit that made it true."""

from __future__ import annotations

import pytest

from horae.domain.errors import Conflict
from horae.domain.runs.events import RunEvent, RunsEnded, RunsQueued, RunsRetried, RunsSkipped
from horae.ports import Transaction
from tests.contract.world import FAILED, World


def heard(world: World) -> list[RunEvent]:
    events: list[RunEvent] = []
    world.store.observers = (events.append,)
    return events


async def test_a_run_from_its_queue_to_its_end(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    events = heard(world)
    (run,) = await world.trigger(job)
    await world.finish(*await world.claim(), outcome=FAILED)
    await world.finish(*await world.claim())
    queued, retried, ended = events
    assert isinstance(queued, RunsQueued)
    assert [(one.id, one.trigger) for one in queued.runs] == [(run.id, "api")]
    assert isinstance(retried, RunsRetried)
    assert [(one.run.id, one.run.attempt, one.outcome) for one in retried.retried] == [(run.id, 1, "failed")]
    assert isinstance(ended, RunsEnded)
    assert [(one.id, one.status) for one in ended.ended] == [(run.id, "succeeded")]


async def test_what_a_schedule_fires_and_skips(world: World) -> None:
    fired = await world.job(every=3600, catch_up="last")
    declined = await world.job(every=3600, catch_up="none")
    later = await world.later(hours=5)
    events = heard(later)
    await later.fire()
    queued = {one.job_id for event in events if isinstance(event, RunsQueued) for one in event.runs}
    skipped = {one.job_id for event in events if isinstance(event, RunsSkipped) for one in event.skipped}
    assert (queued, skipped) == ({fired.id}, {fired.id, declined.id})


async def test_a_lost_attempt(world: World) -> None:
    run = await world.running()
    later = await world.later(hours=1)
    events = heard(later)
    await later.recover()
    (retried,) = events
    assert isinstance(retried, RunsRetried)
    assert [(one.run.id, one.outcome) for one in retried.retried] == [(run.id, "lost")]


async def test_what_did_not_come_about_is_not_told(world: World) -> None:
    job = await world.job()
    events = heard(world)

    async def change_of_mind(tx: Transaction) -> None:
        tx.tell(RunsQueued([]))  # nothing is no event
        await tx.history.skip([])
        raise Conflict("no")

    with pytest.raises(Conflict):
        await world.store.transact(change_of_mind)
    assert events == []
    await world.trigger(job)
    assert len(events) == 1
