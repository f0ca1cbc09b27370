"""Retries: which outcomes are followed by another attempt, after which backoff, and which become dead letters."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.contract.world import (
    FAILED,
    IDS,
    INTERRUPTED,
    PERMANENT,
    TIMED_OUT,
    World,
)


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


async def test_a_success_is_not_a_dead_letter(world: World) -> None:
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


async def test_a_retry_keeps_its_place(world: World) -> None:
    job = await world.job(max_instances=1, retry={"max_attempts": 2, "delay": 600})
    await world.trigger(job, 2)
    await world.finish(*await world.claim(), outcome=FAILED)
    assert await world.claim() == []
