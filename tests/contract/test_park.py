"""Parked runs: no worker has them, a callback ends them, and there is always one end."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from horae.domain.errors import Conflict
from horae.domain.people.audit import Origin
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.lifecycle import callback
from tests.contract.explaining import alone, of_run
from tests.contract.world import FAILED, IDS, LEASE, PERMANENT, World, ids, lost_reply, middle

HOUR = 3_600.0
PARKED = Outcome(AttemptOutcome.PARKED, response_code=202, park_for=HOUR)
DONE = Outcome(AttemptOutcome.SUCCEEDED, result='{"rows": 7}')


async def answer(
    world: World,
    run: Claimed,
    outcome: Outcome | None = DONE,
    *,
    attempt: int | None = None,
    progress: str | None = None,
    reply_lost: bool = False,
) -> None:
    await world.store.transact(
        lost_reply(callback.answer) if reply_lost else callback.answer,
        run_id=run.id,
        attempt=run.attempt if attempt is None else attempt,
        outcome=outcome,
        progress=progress,
        chance=middle,
    )


async def answer_again(world: World, run: Claimed, outcome: Outcome) -> None:
    """As if the result of an earlier try were unknown."""
    again = world.store.on_behalf_of(Origin(repeated=True))
    await again.transact(
        callback.answer, run_id=run.id, attempt=run.attempt, outcome=outcome, progress=None, chance=middle
    )


async def parked(world: World, **fields: Any) -> Claimed:
    run = await world.running(await world.job(**fields))
    await world.finish(run, outcome=PARKED)
    return run


async def test_parking_frees_the_worker_and_sets_the_deadline(world: World) -> None:
    run = await world.running()
    report = await world.finish(run, outcome=PARKED)
    assert (report.ended, report.retried, report.refused) == (0, 0, ())
    (row,) = await world.live()
    assert (row["status"], bool(row["parked"]), row["worker_id"], row["token"]) == ("running", True, None, run.token)
    left = row["lease_until"] - await world.now()
    assert left == pytest.approx(timedelta(seconds=HOUR), abs=timedelta(seconds=60))
    found = await world.find(run)
    assert (found.parked, found.worker_id, found.attempt) == (True, None, 1)
    assert await world.claim() == []


async def test_reporting_it_twice_is_parking_once(world: World) -> None:
    run = await world.running()
    await world.finish(run, outcome=PARKED, reply_lost=True)
    (before,) = await world.live()
    assert before["parked"]
    await (await world.later(seconds=60)).finish(run, outcome=PARKED)
    (after,) = await world.live()
    assert after["lease_until"] == before["lease_until"], "the deadline stays"


async def test_a_callback_ends_it(world: World) -> None:
    run = await parked(world)
    await answer(world, run)
    found = await world.find(run)
    assert (found.status, found.result, found.attempt) == (RunStatus.SUCCEEDED, {"rows": 7}, 1)
    assert not found.parked
    assert await world.live() == []
    assert (await world.totals())["succeeded"] == 1
    with pytest.raises(Conflict):
        await answer(world, run)
    assert len(await world.history()) == 1


async def test_a_callback_that_failed_is_tried_again(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 2, "delay": 0})
    await answer(world, run, FAILED)
    (row,) = await world.live()
    assert (row["status"], bool(row["parked"]), row["token"], row["lease_until"]) == ("queued", False, None, None)
    (tried,) = await world.rows("SELECT n, outcome, error FROM attempts")
    assert (tried["n"], tried["outcome"], tried["error"]) == (1, "failed", "it broke")
    with pytest.raises(Conflict):
        await answer(world, run)
    (again,) = await world.claim()
    with pytest.raises(Conflict):  # the token of the first attempt says nothing about the second
        await answer(world, again, attempt=1)
    await world.finish(again, outcome=PARKED)
    await answer(world, again, FAILED)
    found = await world.find(run)
    assert (found.status, found.reason, found.error) == (RunStatus.FAILED, "attempts", "it broke")
    assert len(await world.rows("SELECT run_id FROM dead_letters")) == 1


async def test_a_permanent_failure_is_not_tried_again(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 5})
    await answer(world, run, PERMANENT)
    assert (await world.find(run)).reason == "permanent"


async def test_progress_alone_ends_nothing(world: World) -> None:
    run = await parked(world)
    before = (await world.live())[0]["lease_until"]
    await answer(world, run, None, progress='{"fraction": 0.4, "note": "half"}')
    found = await world.find(run)
    assert (found.status, found.parked) == (RunStatus.RUNNING, True)
    assert found.progress == {"fraction": 0.4, "note": "half"}
    assert (await world.live())[0]["lease_until"] == before
    await answer(world, run, DONE, progress='{"fraction": 1, "note": null}')
    assert (await world.find(run)).progress == {"fraction": 1, "note": None}


async def test_a_callback_before_the_worker_has_parked_it_wins(world: World) -> None:
    run = await world.running()
    await answer(world, run)
    report = await world.finish(run, outcome=PARKED)
    assert report.refused == (), "dropped quietly: nothing was lost"
    found = await world.find(run)
    assert (found.status, found.result) == (RunStatus.SUCCEEDED, {"rows": 7})
    assert len(await world.history()) == 1


async def test_a_late_park_does_not_touch_the_next_attempt(world: World) -> None:
    first = await world.running(await world.job(retry={"max_attempts": 3, "delay": 0}))
    await answer(world, first, FAILED)
    (second,) = await world.claim()
    await world.finish(first, outcome=PARKED)
    (row,) = await world.live()
    assert (row["token"], bool(row["parked"]), row["attempt"]) == (second.token, False, 2)


async def test_a_queued_run_takes_no_callback(world: World) -> None:
    (run,) = await world.trigger(await world.job())
    for attempt in (0, 1):
        with pytest.raises(Conflict):
            await world.store.transact(
                callback.answer, run_id=run.id, attempt=attempt, outcome=DONE, progress=None, chance=middle
            )
    with pytest.raises(Conflict):
        await world.store.transact(
            callback.answer, run_id=IDS.new(), attempt=1, outcome=DONE, progress=None, chance=middle
        )


async def test_a_callback_whose_reply_was_lost_took_effect_once(world: World) -> None:
    run = await parked(world)
    await answer(world, run, reply_lost=True)
    assert (await world.find(run)).status == RunStatus.SUCCEEDED
    assert (await world.totals())["succeeded"] == 1


@pytest.mark.parametrize("outcome", [DONE, FAILED])
async def test_a_callback_that_comes_again_too_late_is_refused(world: World, outcome: Outcome) -> None:
    """Its first try came to nothing, and the sweep was quicker than the second."""
    for attempts in (1, 2):  # the sweep ends the run, or has it tried again
        run = await parked(world, retry={"max_attempts": attempts, "delay": 600})
        await (await world.later(seconds=HOUR + 5)).recover()
        with pytest.raises(Conflict):
            await answer_again(world, run, outcome)


async def test_another_result_is_not_its_own(world: World) -> None:
    run = await parked(world)
    await answer(world, run)
    await answer_again(world, run, replace(DONE, result='{ "rows": 7 }'))
    with pytest.raises(Conflict):
        await answer_again(world, run, replace(DONE, result='{"rows": 8}'))


async def test_a_failure_after_a_cancel_whose_reply_was_lost_took_effect_once(world: World) -> None:
    run = await world.running()
    await world.cancel(run)
    await answer(world, run, FAILED, reply_lost=True)
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_it_stays_its_own_when_the_run_is_cancelled_later(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 2, "delay": 600})
    await answer(world, run, FAILED)
    await world.cancel(run)
    await answer_again(world, run, FAILED)


@pytest.mark.parametrize("attempts", [1, 2])
async def test_a_failure_whose_reply_was_lost_took_effect_once(world: World, attempts: int) -> None:
    run = await parked(world, retry={"max_attempts": attempts, "delay": 600})
    await answer(world, run, FAILED, reply_lost=True)
    assert (await world.find(run)).status == (RunStatus.FAILED if attempts == 1 else RunStatus.QUEUED)


async def test_neither_heartbeats_nor_dead_workers_matter_to_it(world: World) -> None:
    worker = IDS.new()
    run = await world.running(worker=worker)
    await world.finish(run, outcome=PARKED)
    assert await world.renew(worker, run) == []
    assert await world.recover(dead=[worker]) == 0
    later = await world.later(seconds=LEASE + 5)
    assert await later.recover() == 0
    assert (await world.find(run)).parked


async def test_no_callback_in_time_is_timed_out_and_tried_again(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 2, "delay": 600})
    later = await world.later(seconds=HOUR + 5)
    before = await later.now()
    assert await later.recover() == 1
    (tried,) = await world.rows("SELECT outcome, error, worker_id FROM attempts")
    assert (tried["outcome"], tried["error"], tried["worker_id"]) == ("timed_out", "no callback came in time", None)
    (row,) = await world.live()
    assert (row["status"], bool(row["parked"])) == ("queued", False)
    assert row["due_at"] - before == pytest.approx(timedelta(seconds=600), abs=timedelta(seconds=60)), "by its backoff"
    with pytest.raises(Conflict):
        await answer(later, run)


async def test_no_callback_at_the_last_attempt_ends_it(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 1})
    await (await world.later(seconds=HOUR + 5)).recover()
    found = await world.find(run)
    assert (found.status, found.reason, found.error) == ("failed", "attempts", "no callback came in time")
    await world.roll_up()
    (stats,) = await world.rows("SELECT timed_out, failed FROM job_stats")
    assert (stats["timed_out"], stats["failed"]) == (1, 1)


async def test_cancelling_it_ends_it_at_once(world: World) -> None:
    run = await parked(world)
    (found,) = await world.cancel(run)
    assert found.status == RunStatus.CANCELLED
    with pytest.raises(Conflict):
        await answer(world, run)
    assert (await world.totals())["cancelled"] == 1


async def test_a_run_that_was_asked_to_cancel_is_not_parked(world: World) -> None:
    run = await world.running()
    await world.cancel(run)
    await world.finish(run, outcome=PARKED)
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_a_deleted_job_takes_its_parked_runs_along(world: World) -> None:
    job = await world.job()
    run = await world.running(job)
    await world.finish(run, outcome=PARKED)
    await world.delete(job)
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_it_keeps_its_place(world: World) -> None:
    job = await world.job(max_instances=1)
    first, second = await world.trigger(job, 2)
    (run,) = await world.claim()
    await world.finish(run, outcome=PARKED)
    assert await world.claim() == []
    await answer(world, run)
    assert ids(await world.claim()) == {second.id}
    assert run.id == first.id


async def test_a_follower_starts_when_the_callback_comes(world: World) -> None:
    job = await world.job()
    follower = await world.job(after={"job": job.id, "on": "success"})
    run = await world.running(job)
    await world.finish(run, outcome=PARKED)
    assert await world.live(follower) == []
    await answer(world, run)
    (started,) = await world.live(follower)
    assert started["parent_run_id"] == run.id


async def test_it_says_what_it_waits_for(world: World) -> None:
    run = await parked(world)
    gate = alone(await of_run(world, run), "callback")
    assert "waits for its callback until" in gate.detail
    assert "timed out" in alone(await of_run(await world.later(seconds=HOUR + 60), run), "callback").detail


# Races


async def both(turn: int, one: Awaitable[Any], two: Awaitable[Any]) -> list[Any]:
    """At once, now the one first and now the other; what came of each."""
    acts = [one, two] if turn % 2 else [two, one]
    found = await asyncio.gather(*acts, return_exceptions=True)
    for error in found:
        assert not isinstance(error, BaseException) or isinstance(error, Conflict), error
    return found if turn % 2 else found[::-1]


async def test_callback_and_park_at_once(world: World) -> None:
    job = await world.job(retry={"max_attempts": 1})
    for turn in range(6):
        run = await world.running(job)
        one, two = await world.crowd(2)
        assert not any(isinstance(x, Conflict) for x in await both(turn, answer(one, run), _park(two, run)))
        assert (await world.find(run)).status == RunStatus.SUCCEEDED
    assert await world.live() == []
    assert len(await world.history()) == 6


async def _park(world: World, run: Claimed) -> None:
    await world.finish(run, outcome=PARKED)


async def test_two_callbacks_at_once(world: World) -> None:
    for turn in range(6):
        run = await parked(world, retry={"max_attempts": 1})
        one, two = await world.crowd(2)
        found = await both(turn, answer(one, run), answer(two, run, PERMANENT))
        assert sum(isinstance(x, Conflict) for x in found) == 1, "one of them is told that it came too late"
        won = "failed" if isinstance(found[0], Conflict) else "succeeded"
        assert (await world.find(run)).status == won
    totals = await world.totals()
    assert totals["succeeded"] + totals["failed"] == 6


async def test_callback_and_cancel_at_once(world: World) -> None:
    for turn in range(6):
        run = await parked(world)
        one, two = await world.crowd(2)
        (answered, _) = await both(turn, answer(one, run), two.cancel(run))
        expected = "cancelled" if isinstance(answered, Conflict) else "succeeded"
        assert (await world.find(run)).status == expected
    assert await world.live() == []
    assert len(await world.history()) == 6


async def test_park_and_cancel_at_once(world: World) -> None:
    for turn in range(6):
        run = await world.running()
        one, two = await world.crowd(2)
        await both(turn, _park(one, run), two.cancel(run))
        assert (await world.find(run)).status == RunStatus.CANCELLED, "whoever was first"


async def test_callback_and_expiry_at_once(world: World) -> None:
    for turn in range(6):
        run = await parked(world, retry={"max_attempts": 1})
        one, two = [await world.later(seconds=HOUR + 5) for _ in range(2)]
        (answered, _) = await both(turn, answer(one, run), two.recover())
        expected = "failed" if isinstance(answered, Conflict) else "succeeded"
        assert (await world.find(run)).status == expected
    assert await world.live() == []
    assert len(await world.history()) == 6
