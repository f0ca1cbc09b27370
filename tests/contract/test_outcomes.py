"""How the last attempt of a run ended, the answers of earlier ones, and how long they all took."""

import json
from dataclasses import replace
from typing import Any

import pytest

from horae.domain.runs.attempts import AttemptRecord, with_last
from horae.domain.runs.claim import Claimed
from horae.domain.runs.excerpt import EXCERPT_LIMIT
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus
from tests.contract.test_park import DONE, PARKED, answer
from tests.contract.world import CANCELLED, FAILED, INTERRUPTED, LEASE, PERMANENT, SUCCEEDED, TIMED_OUT, World

TWICE: dict[str, Any] = {"retry": {"max_attempts": 2, "delay": 0}}


async def attempts(world: World, run: RunRecord | Claimed) -> list[AttemptRecord]:
    found = await world.find(run)
    return with_last(found, await world.store.read(lambda tx: tx.runs.attempts(found.id)))


async def of_outcome(world: World, outcome: str, **where: Any) -> set[str]:
    return {run.id for run in (await world.page(outcome=outcome, **where)).items}


@pytest.mark.parametrize(
    "outcome",
    [SUCCEEDED, replace(SUCCEEDED, result="7"), PERMANENT, replace(TIMED_OUT, permanent=True), CANCELLED],
    ids=lambda outcome: outcome.kind.value,
)
async def test_the_outcome_of_the_last_attempt_is_kept_and_found(world: World, outcome: Outcome) -> None:
    job = await world.job()
    run = await world.ended(job, outcome=outcome)
    await world.running(job)  # the live are never found by an outcome
    assert run.outcome == outcome.kind
    for kind in set(AttemptOutcome) - {AttemptOutcome.PARKED}:
        expected = {run.id} if kind is outcome.kind else set()
        assert await of_outcome(world, kind) == expected
        assert await of_outcome(world, kind, job_id=job.id) == expected
        assert await of_outcome(world, kind, status="running") == set()
    (last,) = await attempts(world, run)
    assert (last.n, last.outcome, last.result) == (1, outcome.kind, run.result)


async def test_the_outcome_lost_is_distinct_from_failed(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 1}))
    later = await world.later(seconds=LEASE + 30)
    await later.recover()
    found = await world.find(run)
    assert (found.status, found.outcome) == (RunStatus.FAILED, "lost")
    assert found.duration_ms
    assert found.duration_ms >= (LEASE + 30) * 1000
    assert await of_outcome(world, "lost") == {run.id}


async def test_a_run_that_was_asked_to_stop_has_the_outcome_of_its_attempt(world: World) -> None:
    run = await world.running()
    await world.cancel(run)
    await world.finish(run, outcome=INTERRUPTED)
    found = await world.find(run)
    assert (found.status, found.outcome) == (RunStatus.CANCELLED, "interrupted")


async def test_what_no_attempt_ended_has_no_outcome(world: World) -> None:
    (queued,) = await world.trigger(await world.job())
    await world.cancel(queued)
    (late,) = await world.trigger(await world.job(start_within=1))
    await (await world.later(seconds=5)).expire()
    for run, status in ((queued, "cancelled"), (late, "failed")):
        found = await world.find(run)
        assert (found.status, found.outcome, found.duration_ms) == (status, None, None)
        assert await attempts(world, run) == []


async def test_a_run_cancelled_between_attempts_has_those_it_made(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 3, "delay": 60}))
    await world.finish(run, outcome=FAILED)
    await world.cancel(run)
    assert (await world.find(run)).outcome is None
    assert [(one.n, one.outcome) for one in await attempts(world, run)] == [(1, "failed")]


async def test_the_attempt_under_way_is_the_last(world: World) -> None:
    run = await world.running(await world.job(**TWICE))
    await world.finish(run, outcome=FAILED)
    await world.claim()
    found = await attempts(world, run)
    assert [(one.n, one.outcome) for one in found] == [(1, "failed"), (2, None)]
    assert (found[1].finished_at, found[1].duration_ms) == (None, None)


async def test_rows_of_an_older_version_are_shown_as_far_as_they_tell(world: World) -> None:
    await world.ended()
    failed = await world.ended(outcome=PERMANENT)
    await world.execute("UPDATE run_history SET outcome = NULL")
    assert [run.outcome for run in (await world.page()).items] == [None, "succeeded"]
    (last,) = await attempts(world, failed)
    assert last.outcome is None


# ---- what retried attempts answered


async def retried(world: World, result: str) -> Any:
    run = await world.running(await world.job(**TWICE))
    await world.finish(run, outcome=replace(FAILED, result=result))
    return (await attempts(world, run))[0].result


async def test_the_answer_of_a_retried_attempt_is_kept(world: World) -> None:
    answer = {"status": 503, "headers": {"server": "nginx"}, "body": "upstream ü", "truncated": False, "timings": {}}
    assert await retried(world, json.dumps(answer)) == answer


async def test_a_long_answer_is_cut(world: World) -> None:
    answer = {"status": 503, "headers": {"server": "nginx"}, "body": "é" * 60_000, "truncated": False, "timings": {}}
    kept = await retried(world, json.dumps(answer, ensure_ascii=False))
    assert kept["truncated"]
    assert kept["body"]
    assert answer["body"].startswith(kept["body"])  # type: ignore[attr-defined]
    assert {**kept, "body": None, "truncated": None} == {**answer, "body": None, "truncated": None}
    (row,) = await world.rows("SELECT result FROM attempts")
    assert len(row["result"]) <= EXCERPT_LIMIT


# ---- one meaning of how long


async def test_how_long_it_took_is_what_its_worker_measured(world: World) -> None:
    """However late the database learns of it; the run, its attempts and the averages agree."""
    job = await world.job(**TWICE)
    run = await world.running(job)
    later = await world.later(seconds=90)
    await later.finish(run, outcome=FAILED, duration_ms=70)
    (again,) = await later.claim()
    await later.finish(again, outcome=replace(SUCCEEDED, result="1"), duration_ms=30)
    await later.finish(await later.running(job), duration_ms=50)
    found = await later.find(run)
    assert found.duration_ms == 30
    assert [one.duration_ms for one in await attempts(later, run)] == [70, 30]
    for _ in range(2):
        stats = await later.store.read(lambda tx: tx.stats.of_job(job.id))
        assert stats.average_ms == 40
        await later.roll_up()
    recent = await later.store.read(lambda tx: tx.history.recent([job.id], 10))
    assert [one.duration_ms for one in recent[job.id]] == [50, 30]


async def test_averages_leave_out_what_was_cancelled(world: World) -> None:
    job = await world.job()
    await world.finish(await world.running(job), duration_ms=50)
    await world.finish(await world.running(job), outcome=CANCELLED, duration_ms=5_000)
    stats = await world.store.read(lambda tx: tx.stats.of_job(job.id))
    assert (stats.average_ms, stats.total["cancelled"]) == (50, 1)


async def test_what_no_worker_measured_goes_by_the_clock_of_the_database(world: World) -> None:
    job = await world.job()
    run = await world.running(job)
    await world.finish(run, outcome=PARKED)
    later = await world.later(seconds=90)
    await answer(later, run, DONE)
    found = await later.find(run)
    assert found.duration_ms
    assert 90_000 <= found.duration_ms < 120_000
    stats = await later.store.read(lambda tx: tx.stats.of_job(job.id))
    assert stats.average_ms == found.duration_ms


async def test_a_parked_run_that_is_cancelled_was_an_attempt(world: World) -> None:
    run = await world.running()
    await world.finish(run, outcome=PARKED)
    later = await world.later(seconds=90)
    await later.cancel(run)
    found = await later.find(run)
    assert (found.status, found.outcome) == (RunStatus.CANCELLED, "cancelled")
    assert found.duration_ms
    assert found.duration_ms >= 90_000
