"""Finish: an outcome ends its run or requeues it, and lets others start."""

from dataclasses import replace
from datetime import timedelta

import pytest

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus
from tests.contract.world import (
    CANCELLED,
    FAILED,
    IDS,
    INTERRUPTED,
    PERMANENT,
    SUCCEEDED,
    TIMED_OUT,
    World,
    ids,
)


async def test_success_moves_the_run_to_history(world: World) -> None:
    job = await world.job(queue="q", priority=8)
    (queued,) = await world.trigger(job, input='{"a": 1}')
    worker = IDS.new()
    (run,) = await world.claim(worker=worker, queues=("q",))
    later = await world.later(seconds=90)
    outcome = replace(SUCCEEDED, result='{"rows": [1, 2], "ok": true, "s": "ü😀"}')
    report = await later.finish(run, outcome=outcome, duration_ms=89_000)
    assert (report.ended, report.retried, report.refused) == (1, 0, ())
    assert await world.live() == []
    found = await world.find(run)
    assert (found.status, found.reason, found.error) == (RunStatus.SUCCEEDED, None, None)
    assert found.result == {"rows": [1, 2], "ok": True, "s": "ü😀"}
    for column in ("id", "job_id", "queue", "priority", "input", "due_at", "created_at", "triggered_by", "trigger"):
        assert getattr(found, column) == getattr(queued, column), column
    assert (found.attempt, found.worker_id, found.started_at) == (1, worker, run.started_at)
    assert found.finished_at is not None
    assert found.finished_at - run.started_at >= timedelta(seconds=90)
    assert (found.outcome, found.duration_ms) == ("succeeded", 89_000)


async def test_a_plain_success_looks_the_same(world: World) -> None:
    """Success without a result has its own way through the store."""
    found = await world.ended()
    assert (found.status, found.result, found.error, found.attempt) == ("succeeded", None, None, 1)
    assert found.duration_ms is not None
    assert found.duration_ms >= 0


async def test_errors_and_codes_are_stored(world: World) -> None:
    outcome = Outcome(
        AttemptOutcome.FAILED,
        error="it's broken: 100 %\n\\ \" ü😀",
        traceback="Traceback …\n" * 500,
        exit_code=-9,
        response_code=503,
        permanent=True,
    )
    found = await world.ended(outcome=outcome)
    assert (found.status, found.reason) == (RunStatus.FAILED, "permanent")
    for field in ("error", "traceback", "exit_code", "response_code"):
        assert getattr(found, field) == getattr(outcome, field)


async def test_many_end_in_one_batch(world: World) -> None:
    await world.trigger(await world.job(), 200)
    runs = await world.claim(200)
    assert (await world.finish(*runs)).ended == 200
    assert len(await world.history(status="succeeded")) == 200


async def test_a_batch_may_bring_every_outcome(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2})
    runs = {name: await world.running(job) for name in ("good", "plain", "bad", "permanent", "interrupted", "late")}
    stale = runs["late"]._replace(token=IDS.new())
    outcomes = {
        runs["good"]: replace(SUCCEEDED, result="1"),
        runs["plain"]: SUCCEEDED,
        runs["bad"]: FAILED,
        runs["permanent"]: PERMANENT,
        runs["interrupted"]: INTERRUPTED,
        stale: SUCCEEDED,
    }
    report = await world.finish(outcomes=outcomes)
    assert (report.ended, report.retried, report.refused) == (3, 2, (stale.id,))
    states = {name: (await world.find(run)).status for name, run in runs.items()}
    assert states == {
        "good": "succeeded",
        "plain": "succeeded",
        "bad": "queued",
        "permanent": "failed",
        "interrupted": "queued",
        "late": "running",
    }


@pytest.mark.parametrize(
    ("outcome", "status"),
    [(SUCCEEDED, "succeeded"), (FAILED, "cancelled"), (TIMED_OUT, "cancelled"), (INTERRUPTED, "cancelled"),
     (PERMANENT, "cancelled"), (CANCELLED, "cancelled")],
)  # fmt: skip
async def test_after_a_request_to_cancel_only_success_wins(world: World, outcome: Outcome, status: str) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 5}))
    await world.cancel(run)
    await world.finish(run, outcome=outcome)
    assert (await world.find(run)).status == status
    assert await world.live() == []
    assert await world.rows("SELECT * FROM dead_letters") == []


async def test_the_end_of_one_lets_the_next_held_one_start(world: World) -> None:
    for outcome in (SUCCEEDED, PERMANENT):
        job = await world.job(max_instances=1)
        first, second = await world.trigger(job, 2)
        (run,) = await world.claim()
        assert run.id == first.id
        await world.finish(run, outcome=outcome)
        claimed = await world.claim()
        assert ids(claimed) == {second.id}
        await world.finish(*claimed)


async def test_a_job_shows_how_it_went_last(world: World) -> None:
    job = await world.job()
    assert ((await world.look(job)).last_run_at, (await world.look(job)).last_status) == (None, None)
    for outcome, status in ((SUCCEEDED, "succeeded"), (PERMANENT, "failed"), (SUCCEEDED, "succeeded")):
        ended = await world.ended(job, outcome)
        look = await world.look(job)
        assert look.last_status == status
        assert look.last_run_at is not None
        assert ended.started_at is not None
        assert look.last_run_at >= ended.started_at
        await world.roll_up()
        assert (await world.look(job)).last_status == status
    assert (await world.look(job)).live_runs == 0
    await world.running(job)
    assert (await world.look(job)).live_runs == 1
