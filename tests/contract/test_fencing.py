"""Finish under contention: results with a stale fencing token are refused, and repeated reports count once."""

import asyncio
import random
from dataclasses import replace

import pytest

from horae.domain.runs.outcome import Outcome
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
)


async def everything(world: World) -> dict[str, list[Row]]:
    """Everything that finishing could have touched."""
    tables = ("runs", "run_history", "attempts", "dead_letters", "run_logs", "stat_deltas", "job_stats")
    return {table: await world.rows(f"SELECT * FROM {table}") for table in tables}


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
async def test_of_two_attempts_of_a_run_in_one_batch_only_the_later_counts(
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


async def test_a_repeated_report_is_refused_if_the_run_was_recovered_first(world: World) -> None:
    """Recovered meanwhile, and then a connection is lost: what was written is not its own."""
    for attempts in (1, 2):
        run = await world.running(await world.job(retry={"max_attempts": attempts, "delay": 600}))
        assert await (await world.later(seconds=60)).recover() == 1
        assert (await world.finish(run, outcome=FAILED, reply_lost=True)).refused == (run.id,)


async def test_of_two_that_finish_the_same_attempt_at_once_one_counts(world: World) -> None:
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
