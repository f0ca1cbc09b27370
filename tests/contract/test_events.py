"""Observers are notified of what happened to runs, after the commit."""

from __future__ import annotations

import pytest

from horae.domain.errors import Conflict
from horae.domain.runs.events import (
    AttemptsOver,
    Audited,
    CancelsRequested,
    Event,
    RunsEnded,
    RunsExpired,
    RunsParked,
    RunsQueued,
    RunsReleased,
    RunsRetried,
    RunsSkipped,
)
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle import callback
from horae.ports import Transaction
from tests.contract.world import FAILED, World


def heard(world: World) -> list[Event]:
    events: list[Event] = []
    world.store.observers = (events.append,)
    return events


async def test_a_run_from_its_queue_to_its_end(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    events = heard(world)
    (run,) = await world.trigger(job)
    await world.finish(*await world.claim(), outcome=FAILED)
    await world.finish(*await world.claim())
    queued, over, retried, ended = events
    assert isinstance(over, AttemptsOver)
    assert [(one.run.id, one.run.attempt, one.outcome) for one in over.over] == [(run.id, 1, FAILED)]
    assert isinstance(queued, RunsQueued)
    assert [(one.id, one.trigger) for one in queued.runs] == [(run.id, "api")]
    assert isinstance(retried, RunsRetried)
    assert [(one.run.id, one.run.attempt, one.outcome) for one in retried.retried] == [(run.id, 1, "failed")]
    assert isinstance(ended, RunsEnded)
    assert [(one.id, one.status, one.attempt) for one in ended.ended] == [(run.id, "succeeded", 2)]


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
    over, retried = events
    assert isinstance(over, AttemptsOver)
    assert [(one.run.id, one.outcome.kind) for one in over.over] == [(run.id, "lost")]
    assert isinstance(retried, RunsRetried)
    assert [(one.run.id, one.outcome) for one in retried.retried] == [(run.id, "lost")]


async def test_a_parked_run_and_its_callback(world: World) -> None:
    run = await world.running()
    events = heard(world)
    await world.finish(run, outcome=Outcome(AttemptOutcome.PARKED, park_for=60.0))
    done = Outcome(AttemptOutcome.SUCCEEDED)
    await world.store.transact(
        callback.answer, run_id=run.id, attempt=1, outcome=done, progress=None, chance=lambda: 0.5
    )
    parked, over, ended = events
    assert isinstance(parked, RunsParked)
    assert [one.id for one in parked.runs] == [run.id]
    assert isinstance(over, AttemptsOver)
    assert [(one.run.id, one.outcome) for one in over.over] == [(run.id, done)]
    assert isinstance(ended, RunsEnded)


async def test_a_cancel_and_who_requested_it(world: World) -> None:
    run = await world.running()
    parked = await world.running()
    await world.finish(parked, outcome=Outcome(AttemptOutcome.PARKED, park_for=60.0))
    (queued,) = await world.trigger(await world.job())
    events = heard(world)
    await world.cancel(run, parked, queued)
    requested = next(event for event in events if isinstance(event, CancelsRequested))
    assert {one.id for one in requested.runs} == {run.id, parked.id, queued.id}
    over = next(event for event in events if isinstance(event, AttemptsOver))
    assert [(one.run.id, one.outcome.kind) for one in over.over] == [(parked.id, "cancelled")]
    ended = next(event for event in events if isinstance(event, RunsEnded))
    assert {one.id for one in ended.ended} == {parked.id, queued.id}
    events.clear()
    await world.cancel(run)
    assert not any(isinstance(event, CancelsRequested) for event in events), "it was requested once"


async def test_a_run_that_no_worker_started_in_time(world: World) -> None:
    (run,) = await world.trigger(await world.job(start_within=60))
    later = await world.later(hours=1)
    events = heard(later)
    await later.expire()
    expired, ended = events
    assert isinstance(expired, RunsExpired)
    assert isinstance(ended, RunsEnded)
    assert [one.id for one in expired.runs] == [one.id for one in ended.ended] == [run.id]
    assert ended.ended[0].attempt == 0


async def test_a_run_that_was_claimed_ahead_and_released(world: World) -> None:
    (run,) = await world.trigger(await world.job())
    claimed = await world.claim(0, ahead=1)
    events = heard(world)
    await world.release(*claimed)
    (released,) = events
    assert isinstance(released, RunsReleased)
    assert [one.id for one in released.runs] == [run.id]


async def test_what_people_did(world: World) -> None:
    events = heard(world)
    job = await world.job()
    (audited,) = events
    assert isinstance(audited, Audited)
    (deed,) = audited.deeds
    assert (deed.action, deed.id, deed.project_id) == ("job.create", job.id, job.project_id)


async def test_a_transaction_that_failed_announces_nothing(world: World) -> None:
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
