"""Claim: a worker takes runs that it can execute, in order, and no other worker takes the same."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.contract.kinds import on_servers
from tests.contract.world import FAILED, IDS, OFFERS, World, ids


async def test_a_claimed_run_has_a_lease_a_token_and_an_attempt(world: World) -> None:
    job = await world.job()
    (queued,) = await world.trigger(job, input='{"a": 1}')
    worker, token = IDS.new(), IDS.new()
    (run,) = await world.claim(worker=worker, token=token, lease=20)
    assert (run.id, run.job_id, run.version, run.project_id) == (queued.id, job.id, 1, world.project)
    assert (run.attempt, run.uncounted, run.token, run.trigger) == (1, 0, token, "api")
    assert (run.input, run.due_at) == ('{"a": 1}', queued.due_at)
    (row,) = await world.live()
    assert (row["status"], row["worker_id"], row["token"], row["attempt"]) == ("running", worker, token, 1)
    assert row["started_at"] == run.started_at
    assert row["lease_until"] - row["started_at"] == pytest.approx(timedelta(seconds=20), abs=timedelta(seconds=1))


async def test_each_claim_raises_the_attempt_and_changes_the_token(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    run = await world.running(job)
    await world.finish(run, outcome=FAILED)
    (again,) = await world.claim()
    assert (again.id, again.attempt) == (run.id, 2)
    assert again.token != run.token


async def test_nothing_is_claimed_twice(world: World) -> None:
    await world.trigger(await world.job(), 3)
    assert len(await world.claim()) == 3
    assert await world.claim() == []


async def test_a_token_is_never_given_twice(world: World) -> None:
    """Also not by a claim that asks what an earlier one came to, when what that took was lost and queued again."""
    await world.trigger(await world.job(retry={"max_attempts": 3}))
    mine: dict[str, Any] = {"worker": IDS.new(), "token": IDS.new()}
    (first,) = await world.claim(**mine)
    assert [run.attempt for run in await world.claim(**mine, again=True)] == [1]
    later = await world.later(minutes=1)
    await later.recover()
    found = await later.claims(**mine, again=True)
    assert (found.runs, found.idle_for) == ([], 0)
    (second,) = await later.claim(worker=mine["worker"])
    assert (second.id, second.attempt) == (first.id, 2)


async def test_a_claim_whose_answer_was_lost_is_found_again(world: World) -> None:
    await world.trigger(await world.job(), 5)
    runs = await world.claim(3, reply_lost=True)
    assert len(runs) == 3
    assert {run.attempt for run in runs} == {1}
    assert ids(runs) == {row["id"] for row in await world.live() if row["status"] == "running"}


async def test_no_more_than_the_limit(world: World) -> None:
    await world.trigger(await world.job(), 10)
    for limit, expected in ((1, 1), (4, 4), (0, 0), (100, 5)):
        assert len(await world.claim(limit)) == expected


async def test_the_limit_holds_over_several_queues_and_priorities(world: World) -> None:
    for queue in ("a", "b", "c"):
        job = await world.job(queue=queue)
        for priority in (0, 5, 9):
            await world.trigger(job, 3, priority=priority)
    assert len(await world.claim(7, queues=("a", "b", "c"))) == 7
    assert len([row for row in await world.live() if row["status"] == "running"]) == 7


async def test_only_what_the_worker_offers(world: World) -> None:
    script = await world.job(target={"kind": "script", "source": "true"})
    await world.trigger(script)
    await world.trigger(await world.job(target={"kind": "http", "url": "http://example.org/"}))
    assert await world.claim(offers=OFFERS) == []
    assert await world.claim(offers=()) == []
    (run,) = await world.claim(offers=("script", "python:other"))
    assert run.job_id == script.id


async def test_runs_that_this_worker_cannot_execute_do_not_block_others(world: World) -> None:
    await world.trigger(await world.job(target={"kind": "script", "source": "true"}), 20, priority=9)
    (mine,) = await world.trigger(await world.job(), priority=0)
    assert ids(await world.claim(1)) == {mine.id}


async def test_queues_in_the_order_they_are_given(world: World) -> None:
    (low,) = await world.trigger(await world.job(queue="low"), priority=9)
    (high,) = await world.trigger(await world.job(queue="high"), priority=0)
    await world.trigger(await world.job(queue="foreign"))
    assert ids(await world.claim(1, queues=("high", "low"))) == {high.id}
    assert ids(await world.claim(1, queues=("high", "low"))) == {low.id}
    assert await world.claim(1, queues=("high", "low")) == []
    assert await world.claim(1, queues=()) == []


async def test_higher_priorities_first(world: World) -> None:
    job = await world.job()
    runs = {p: (await world.trigger(job, priority=p))[0].id for p in (3, 9, 0, 5)}
    assert [ids(await world.claim(1)) for _ in runs] == [{runs[p]} for p in (9, 5, 3, 0)]


async def test_within_a_priority_the_earliest_due_first(world: World) -> None:
    job, now = await world.job(), await world.now()
    runs = {m: (await world.trigger(job, run_at=now - timedelta(minutes=m)))[0].id for m in (1, 9, 5)}
    assert [ids(await world.claim(1)) for _ in runs] == [{runs[m]} for m in (9, 5, 1)]


@pytest.mark.parametrize("at_once", [1, 3, 100])
async def test_the_earliest_due_comes_first_regardless_of_needs(world: World, at_once: int) -> None:
    script = {"kind": "script", "source": "true"}
    jobs = [await world.job(), await world.job(target=script), await world.job(target=script)]
    now, runs = await world.now(), []
    for minutes in range(9, 0, -1):
        (run,) = await world.trigger(jobs[minutes % 3], run_at=now - timedelta(minutes=minutes))
        runs.append(run.id)
    await world.trigger(jobs[0], run_at=now + timedelta(hours=1))
    taken: list[str] = []
    while claimed := await world.claim(at_once, offers=("script", *OFFERS)):
        taken += sorted((run.id for run in claimed), key=runs.index)
    assert taken == runs


async def test_what_is_due_at_the_same_time_goes_in_the_order_it_was_made(world: World) -> None:
    job, at = await world.job(), await world.now()
    runs = [run.id for run in await world.trigger(job, 5, run_at=at)]
    assert [ids(await world.claim(1)) for _ in runs] == [{run} for run in runs]


async def test_a_held_run_is_not_taken(world: World) -> None:
    await world.trigger(await world.job(max_instances=1), 3)
    assert len(await world.claim()) == 1
    assert await world.claim() == []


async def test_a_future_run_is_taken_when_it_is_due(world: World) -> None:
    await world.trigger(await world.job(), run_at=await world.now() + timedelta(hours=1))
    assert await world.claim() == []
    assert len(await (await world.later(hours=1, seconds=1)).claim()) == 1


async def test_a_future_retry_of_high_priority_does_not_block_what_is_due_below_it(world: World) -> None:
    retried = await world.job(priority=9, retry={"max_attempts": 5, "delay": 3000})
    await world.trigger(retried, 30)
    await world.finish(*await world.claim(), outcome=FAILED)
    (low,) = await world.trigger(await world.job(priority=0))
    claims = await world.claims(10)
    assert ids(claims.runs) == {low.id}
    assert claims.idle_for == pytest.approx(3000, abs=60)


# ---- how long to sleep


async def test_with_nothing_queued_there_is_nothing_to_wait_for(world: World) -> None:
    assert (await world.claims()).idle_for is None


async def test_a_full_claim_asks_again_at_once(world: World) -> None:
    await world.trigger(await world.job(), 3)
    assert (await world.claims(2)).idle_for == 0


async def test_the_worker_may_sleep_until_the_next_is_due(world: World) -> None:
    job, now = await world.job(), await world.now()
    for hours in (3, 1, 2):
        await world.trigger(job, run_at=now + timedelta(hours=hours), priority=hours)
    assert (await world.claims()).idle_for == pytest.approx(3600, abs=60)


async def test_runs_that_a_worker_cannot_claim_do_not_wake_it(world: World) -> None:
    at = await world.now() + timedelta(hours=1)
    await world.trigger(await world.job(queue="other"), run_at=at)
    await world.trigger(await world.job(target={"kind": "script", "source": "true"}), run_at=at)
    held = await world.job(max_instances=1)
    await world.trigger(held, 2)
    await world.claim()
    assert (await world.claims()).idle_for is None


# ---- many at once


@pytest.mark.parametrize("workers", [2, 8])
async def test_workers_at_once_never_share_a_run(world: World, workers: int) -> None:
    await world.trigger(await world.job(), 120)
    crowd = await world.crowd(workers)

    async def take_all(one: World) -> list[str]:
        taken: list[str] = []
        while True:
            claims = await one.claims(7)
            taken += [run.id for run in claims.runs]
            if not claims.runs and claims.idle_for is None:
                return taken

    taken = await asyncio.gather(*map(take_all, crowd))
    every = [run for part in taken for run in part]
    assert len(every) == len(set(every)) == 120
    rows = await world.live()
    assert {row["attempt"] for row in rows} == {1}
    assert {row["status"] for row in rows} == {"running"}


@on_servers
async def test_a_run_locked_by_another_transaction_is_skipped(world: World) -> None:
    """Not waited for: one slow transaction must not hold up every worker."""
    job = await world.job()
    first, second = await world.trigger(job, 2)
    async with world.holding("SELECT id FROM runs WHERE id = :id FOR UPDATE", id=first.id):
        assert ids(await world.claim()) == {second.id}
    assert ids(await world.claim()) == {first.id}
