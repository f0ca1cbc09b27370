"""Finish: an outcome ends its run or requeues it. Without the right token nothing changes at all."""

import asyncio
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from horae.domain.runs.log import LogLines, LogPiece, LogPosition
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus
from tests.contract.kinds import on_postgresql
from tests.contract.world import (
    CANCELLED,
    FAILED,
    IDS,
    INTERRUPTED,
    PERMANENT,
    SUCCEEDED,
    TIMED_OUT,
    Row,
    World,
    ids,
)


async def everything(world: World) -> dict[str, list[Row]]:
    """All that finishing could have touched."""
    tables = ("runs", "run_history", "attempts", "dead_letters", "run_logs", "stat_deltas", "job_stats")
    return {table: await world.rows(f"SELECT * FROM {table}") for table in tables}


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
    """Success without a result has a way of its own through the store."""
    found = await world.ended()
    assert (found.status, found.result, found.error, found.attempt) == ("succeeded", None, None, 1)
    assert found.duration_ms is not None
    assert found.duration_ms >= 0


async def test_what_went_wrong_is_kept(world: World) -> None:
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


# ---- another attempt


@pytest.mark.parametrize(
    ("backoff", "pauses"),
    [("exponential", [10, 20, 40]), ("linear", [10, 20, 30]), ("fixed", [10, 10, 10])],
)
async def test_a_failed_attempt_is_tried_again_after_the_backoff(
    world: World, backoff: str, pauses: list[float]
) -> None:
    job = await world.job(retry={"max_attempts": 4, "backoff": backoff, "delay": 600, "max_delay": 100_000})
    await world.trigger(job)
    now = world
    for n, pause in enumerate(pauses, start=1):
        (run,) = await now.claim()
        assert run.attempt == n
        before = await now.now()
        await now.finish(run, outcome=FAILED)
        (row,) = await world.live()
        assert (row["status"], row["attempt"], row["uncounted"]) == ("queued", n, 0)
        assert (row["worker_id"], row["token"], row["lease_until"], row["started_at"]) == (None,) * 4
        assert row["due_at"] - before == pytest.approx(timedelta(minutes=pause), abs=timedelta(seconds=45))
        assert await now.claim() == []
        now = await now.later(minutes=pause, seconds=1)
    assert len(await now.claim()) == 1


async def test_max_delay_bounds_the_pause_and_retry_after_stretches_it(world: World) -> None:
    job = await world.job(retry={"max_attempts": 9, "delay": 600, "max_delay": 900})
    for asked, pause in ((None, 600), (700, 700), (5, 600), (99_999, 900)):
        run = await world.running(job)
        before = await world.now()
        await world.finish(run, outcome=replace(FAILED, retry_after=asked))
        due = (await world.find(run)).due_at
        assert due - before == pytest.approx(timedelta(seconds=pause), abs=timedelta(seconds=45))


async def test_each_attempt_that_did_not_end_the_run_is_remembered(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    await world.trigger(job)
    worker = IDS.new()
    for outcome in (replace(FAILED, exit_code=3), TIMED_OUT):
        await world.finish(*await world.claim(worker=worker), outcome=outcome)
    await world.finish(*await world.claim())
    (run,) = await world.history()
    tries = await world.rows("SELECT * FROM attempts ORDER BY n")
    assert [(row["run_id"], row["n"], row["outcome"]) for row in tries] == [
        (run["id"], 1, "failed"),
        (run["id"], 2, "timed_out"),
    ]
    assert (tries[0]["error"], tries[0]["exit_code"], tries[0]["worker_id"]) == ("it broke", 3, worker)
    assert tries[0]["started_at"] <= tries[0]["finished_at"] <= tries[1]["started_at"]
    assert (run["status"], run["attempt"]) == ("succeeded", 3)


async def test_when_the_attempts_are_used_up_the_run_failed_and_is_a_dead_letter(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    run = await world.running(job)
    await world.finish(run, outcome=FAILED)
    await world.finish(*await world.claim(), outcome=FAILED)
    found = await world.find(run)
    assert (found.status, found.reason, found.attempt, found.error) == ("failed", "attempts", 2, "it broke")
    (dead,) = await world.rows("SELECT * FROM dead_letters")
    assert (dead["run_id"], dead["job_id"], dead["project_id"]) == (run.id, job.id, world.project)
    assert await world.live() == []


async def test_a_permanent_failure_is_not_tried_again(world: World) -> None:
    found = await world.ended(await world.job(retry={"max_attempts": 5}), PERMANENT)
    assert (found.status, found.reason, found.attempt) == ("failed", "permanent", 1)
    assert len(await world.rows("SELECT * FROM dead_letters")) == 1


async def test_dead_letters_of_the_same_cause_share_a_fingerprint(world: World) -> None:
    job = await world.job()
    for error in ("row 17 is bad", "row 4711 is bad", "quite another thing"):
        await world.ended(job, replace(PERMANENT, error=error))
    prints = [row["fingerprint"] for row in await world.rows("SELECT fingerprint FROM dead_letters ORDER BY run_id")]
    assert prints[0] == prints[1] != prints[2]


async def test_success_is_no_dead_letter(world: World) -> None:
    await world.ended()
    assert await world.rows("SELECT * FROM dead_letters") == []


async def test_an_interrupted_attempt_does_not_count_and_is_due_at_once(world: World) -> None:
    job = await world.job(retry={"max_attempts": 1, "delay": 600})
    await world.trigger(job)
    for n in range(1, 4):
        (run,) = await world.claim()
        assert (run.attempt, run.uncounted) == (n, n - 1)
        await world.finish(run, outcome=INTERRUPTED)
    (run,) = await world.claim()
    await world.finish(run, outcome=FAILED)
    found = await world.find(run)
    assert (found.status, found.attempt, found.uncounted) == ("failed", 4, 3)


async def test_uncounted_attempts_do_not_lengthen_the_backoff(world: World) -> None:
    job = await world.job(retry={"max_attempts": 5, "delay": 600})
    await world.trigger(job)
    for _ in range(3):
        await world.finish(*await world.claim(), outcome=INTERRUPTED)
    before = await world.now()
    await world.finish(*await world.claim(), outcome=FAILED)
    (row,) = await world.live()
    assert row["due_at"] - before == pytest.approx(timedelta(seconds=600), abs=timedelta(seconds=45))


# ---- cancel


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


# ---- the token


@pytest.mark.parametrize("outcome", [SUCCEEDED, replace(SUCCEEDED, result="1"), FAILED, PERMANENT, INTERRUPTED])
async def test_with_a_stale_token_nothing_changes(world: World, outcome: Outcome) -> None:
    job = await world.job(retry={"max_attempts": 5, "delay": 0})
    late = await world.running(job)
    afterwards = await world.later(seconds=60)
    assert await afterwards.recover() == 1
    afterwards = await afterwards.later(seconds=1)
    (current,) = await afterwards.claim()
    assert current.id == late.id
    before = await everything(world)
    report = await afterwards.finish(late, outcome=outcome, logs=[await world.line(late, "too late")])
    assert (report.ended, report.retried, report.refused) == (0, 0, (late.id,))
    assert await everything(world) == before
    assert (await afterwards.finish(current)).ended == 1


@pytest.mark.parametrize("late", [SUCCEEDED, FAILED, PERMANENT, TIMED_OUT, CANCELLED], ids=lambda o: o.kind)
@pytest.mark.parametrize("now", [SUCCEEDED, PERMANENT, FAILED], ids=lambda o: f"then-{o.kind}")
async def test_of_two_attempts_of_a_run_in_one_batch_only_the_later_is_heard(
    world: World, late: Outcome, now: Outcome
) -> None:
    """A worker lost a run, got it again, and ended it before it could report the attempt that it lost."""
    job = await world.job(retry={"max_attempts": 3})
    worker = IDS.new()
    first = await world.running(job, worker=worker)
    later = await world.later(minutes=1)
    await later.recover()
    (second,) = await later.claim(worker=worker)
    report = await later.finish(outcomes={first: late, second: now})
    assert report.refused == (first.id,)
    if now is FAILED:
        (row,) = await later.live(job)
        assert (row["status"], row["attempt"]) == ("queued", 2)
    else:
        assert (await later.find(first)).status == ("succeeded" if now is SUCCEEDED else "failed")
        totals = await later.totals()
        assert totals["succeeded"] + totals["failed"] + totals["cancelled"] == 1


@pytest.mark.parametrize("outcome", [SUCCEEDED, FAILED])
async def test_while_the_run_waits_for_its_retry_a_late_result_is_refused(world: World, outcome: Outcome) -> None:
    job = await world.job(retry={"max_attempts": 5, "delay": 600})
    late = await world.running(job)
    afterwards = await world.later(seconds=60)
    await afterwards.recover()
    before = await everything(world)
    assert (await afterwards.finish(late, outcome=outcome)).refused == (late.id,)
    assert await everything(world) == before


@pytest.mark.parametrize("outcome", [SUCCEEDED, replace(SUCCEEDED, result="1"), FAILED, PERMANENT])
async def test_finishing_twice_is_harmless(world: World, outcome: Outcome) -> None:
    job = await world.job(retry={"max_attempts": 5, "delay": 600})
    run = await world.running(job)
    await world.finish(run, outcome=outcome)
    before = await everything(world)
    assert (await world.finish(run, outcome=outcome)).refused == (run.id,)
    assert await everything(world) == before


async def test_a_finish_whose_answer_was_lost_counts_once(world: World) -> None:
    await world.trigger(await world.job(), 3)
    runs = await world.claim()
    assert (await world.finish(*runs, reply_lost=True)).refused == (), "it was this very report that ended them"
    assert len(await world.history()) == 3
    assert (await world.totals())["succeeded"] == 3


@pytest.mark.parametrize("outcome", [FAILED, PERMANENT, TIMED_OUT, INTERRUPTED, replace(SUCCEEDED, result="1")])
@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_report_knows_its_own_commit(world: World, outcome: Outcome, cancelled: bool) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 2, "delay": 600}))
    if cancelled:
        await world.cancel(run)
    before = await world.finish(run, outcome=outcome, reply_lost=True)
    assert before.refused == ()


async def test_a_report_knows_when_somebody_else_was_first(world: World) -> None:
    """Recovered meanwhile, and then a connection is lost: what was written is not its own."""
    for attempts in (1, 2):
        run = await world.running(await world.job(retry={"max_attempts": attempts, "delay": 600}))
        assert await (await world.later(seconds=60)).recover() == 1
        assert (await world.finish(run, outcome=FAILED, reply_lost=True)).refused == (run.id,)


async def test_of_two_that_finish_the_same_attempt_at_once_one_is_heard(world: World) -> None:
    job = await world.job(retry={"max_attempts": 1})
    for _ in range(4):
        run = await world.running(job)
        one, two = await world.crowd(2)
        reports = await asyncio.gather(one.finish(run), two.finish(run, outcome=FAILED))
        assert sum(report.ended for report in reports) == 1
        assert sum(len(report.refused) for report in reports) == 1
    totals = await world.totals()
    assert totals["succeeded"] + totals["failed"] == 4
    assert len(await world.rows("SELECT * FROM dead_letters")) == totals["failed"]


async def test_finish_and_recover_at_once_agree(world: World) -> None:
    job = await world.job(retry={"max_attempts": 1})
    for _ in range(4):
        run = await world.running(job)
        one, two = [await world.later(seconds=60) for _ in range(2)]
        report, recovered = await asyncio.gather(one.finish(run), two.recover())
        assert report.ended + recovered == 1
        assert (await world.find(run)).status == ("succeeded" if report.ended else "failed")
    assert len(await world.history()) == 4
    totals = await world.totals()
    assert totals["succeeded"] + totals["failed"] == 4


@on_postgresql
async def test_results_and_heartbeats_do_not_wait_for_each_other(world: World) -> None:
    """They touch the same rows all the time: in one order, or it is a deadlock."""
    job, worker, chance = await world.job(retry={"max_attempts": 9}), IDS.new(), random.Random(1)
    await world.trigger(job, 300)
    runs = await world.claim(300, worker=worker)
    chance.shuffle(runs)
    one, two = await world.crowd(2)
    before = await _deadlocks(world)

    async def report() -> None:
        for n in range(0, 300, 20):
            outcomes = [SUCCEEDED, replace(SUCCEEDED, result="1"), FAILED, PERMANENT]
            await one.finish(outcomes={run: chance.choice(outcomes) for run in runs[n : n + 20]})

    reporting = asyncio.create_task(report())
    while not reporting.done():
        await two.renew(worker, *runs)
    await reporting
    assert await _deadlocks(world) == before


async def _deadlocks(world: World) -> int:
    """Since the database exists: other tests have used it before."""
    (row,) = await world.rows("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    return int(row["deadlocks"])


# ---- output


def texts(rows: list[LogPiece]) -> list[tuple[int, str]]:
    return [(row.attempt, row.text) for row in rows]


async def test_output_is_kept_in_order_of_attempt_and_place(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    run = await world.running(job)
    await world.log(await world.line(run, "two", seq=2), await world.line(run, "one", seq=1))
    await world.finish(run, outcome=FAILED, logs=[await world.line(run, "three", seq=3)])
    (again,) = await world.claim()
    await world.finish(again, logs=[await world.line(again, "ü😀 'x' % \\n\n\"", seq=1)])
    lines = await world.log_of(run)
    assert texts(lines) == [(1, "one"), (1, "two"), (1, "three"), (2, "ü😀 'x' % \\n\n\"")]
    assert {line.stream for line in lines} == {"stdout"}
    assert texts(await world.log_of(run, after=LogPosition(1, 1), limit=2)) == [(1, "two"), (1, "three")]
    assert texts(await world.log_of(run, after=LogPosition(1, 3))) == [(2, "ü😀 'x' % \\n\n\"")]


async def test_progress_is_what_was_told_last_by_who_holds_the_run(world: World) -> None:
    run = await world.running()
    for fraction in (0.25, 0.5):
        await world.progress(run, f'{{"fraction": {fraction}, "note": "ü"}}')
    await world.progress(run, '{"fraction": 0.9}', token=IDS.new())
    assert (await world.find(run)).progress == {"fraction": 0.5, "note": "ü"}
    await world.finish(run)
    await world.progress(run, '{"fraction": 0.1}')
    assert (await world.find(run)).progress == {"fraction": 0.5, "note": "ü"}


async def test_output_without_the_token_is_dropped(world: World) -> None:
    run = await world.running()
    await world.log(await world.line(run, "mine"), await world.line(run, "not mine", seq=2, token=IDS.new()))
    await world.finish(run)
    await world.log(await world.line(run, "too late", seq=3))
    assert texts(await world.log_of(run)) == [(1, "mine")]


async def test_the_same_output_sent_again_is_kept_once(world: World) -> None:
    run = await world.running()
    line = await world.line(run, "hello")
    await world.log(line)
    await world.log(line)
    assert texts(await world.log_of(run)) == [(1, "hello")]


async def test_long_output_is_kept_whole(world: World) -> None:
    run = await world.running()
    text = "0123456789abcdef" * 4096 + "ü"
    await world.log(*[LogLines(run.id, run.token, 1, n, await world.now(), "stdout", text) for n in range(1, 6)])
    assert texts(await world.log_of(run)) == [(1, text)] * 5


# ---- what the end brings about


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


async def test_a_retry_keeps_its_place(world: World) -> None:
    job = await world.job(max_instances=1, retry={"max_attempts": 2, "delay": 600})
    await world.trigger(job, 2)
    await world.finish(*await world.claim(), outcome=FAILED)
    assert await world.claim() == []


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
