"""Recover and expire: runs that a worker no longer holds continue without it, and nothing waits forever unnoticed."""

import asyncio
from datetime import timedelta

import pytest

from horae.domain.runs.states import RunStatus
from tests.contract.world import CANCELLED, FAILED, IDS, INTERRUPTED, LEASE, World, ids


async def test_a_lease_that_ran_out_counts_as_a_lost_attempt(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 600})
    worker = IDS.new()
    run = await world.running(job, worker=worker)
    later = await world.later(seconds=LEASE + 5)
    before = await later.now()
    assert await later.recover() == 1
    (row,) = await world.live()
    assert (row["status"], row["attempt"], row["uncounted"]) == ("queued", 1, 0)
    assert (row["worker_id"], row["token"], row["lease_until"]) == (None, None, None)
    assert row["due_at"] - before == pytest.approx(timedelta(0), abs=timedelta(seconds=45)), "at once, counted"
    (tried,) = await world.rows("SELECT * FROM attempts")
    assert (tried["run_id"], tried["n"], tried["outcome"], tried["worker_id"]) == (run.id, 1, "lost", worker)
    assert "lease" in tried["error"]


async def test_a_lease_that_still_runs_is_left_alone(world: World) -> None:
    await world.running(lease=600)
    later = await world.later(seconds=300)
    assert await later.recover() == 0
    assert [row["status"] for row in await world.live()] == ["running"]


async def test_what_is_queued_or_ended_is_not_recovered(world: World) -> None:
    await world.trigger(await world.job(queue="other"))
    await world.ended()
    assert await (await world.later(days=1)).recover() == 0


async def test_renewing_protects_and_says_who_asked_to_cancel(world: World) -> None:
    worker = IDS.new()
    one = await world.running(worker=worker)
    two = await world.running(worker=worker)
    await world.cancel(two)
    later = await world.later(seconds=LEASE - 5)
    assert sorted(await later.renew(worker, one, two)) == [(one.id, one.token, False), (two.id, two.token, True)]
    later = await world.later(seconds=LEASE + 2)
    assert await later.recover() == 0


async def test_only_its_own_runs_are_renewed(world: World) -> None:
    worker, other = IDS.new(), IDS.new()
    mine = await world.running(worker=worker)
    forgotten = await world.running(worker=worker)  # a claim whose answer was lost: no one works on it
    theirs = await world.running(worker=other)
    later = await world.later(seconds=LEASE - 5)
    assert [run_id for run_id, _, _ in await later.renew(worker, mine, theirs)] == [mine.id]
    later = await world.later(seconds=LEASE + 2)
    assert await later.recover() == 2
    assert ids([row for row in await world.live() if row["status"] == "queued"]) == {forgotten.id, theirs.id}


async def test_after_it_was_recovered_a_lease_cannot_be_renewed(world: World) -> None:
    worker = IDS.new()
    run = await world.running(await world.job(retry={"max_attempts": 3, "delay": 0}), worker=worker)
    later = await world.later(seconds=LEASE + 5)
    await later.recover()
    assert await later.renew(worker, run) == []
    later = await later.later(seconds=1)
    (again,) = await later.claim(worker=worker)
    assert [token for _, token, _ in await later.renew(worker, run)] == [again.token], "the new attempt's token"


async def test_a_run_that_kills_its_workers_ends_failed(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    (run,) = await world.trigger(job)
    now = world
    for n in range(1, 4):
        (claimed,) = await now.claim()
        assert claimed.attempt == n
        now = await now.later(seconds=LEASE + 5)
        assert await now.recover() == 1
        now = await now.later(seconds=1)
    found = await world.find(run)
    assert (found.status, found.reason, found.attempt) == ("failed", "attempts", 3)
    assert "lost" in str(found.error)
    assert [row["run_id"] for row in await world.rows("SELECT run_id FROM dead_letters")] == [run.id]
    assert (await world.totals())["failed"] == 1


async def test_crashes_and_failures_and_interruptions_count_together(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    run = await world.running(job)
    await world.finish(run, outcome=FAILED)
    await world.finish(*await world.claim(), outcome=INTERRUPTED)
    await world.claim()
    later = await world.later(seconds=LEASE + 5)
    await later.recover()
    later = await later.later(seconds=1)
    await later.finish(*await later.claim(), outcome=FAILED)
    found = await world.find(run)
    assert (found.status, found.attempt, found.uncounted) == ("failed", 4, 1)
    tries = await world.rows("SELECT outcome FROM attempts ORDER BY n")
    assert [row["outcome"] for row in tries] == ["failed", "interrupted", "lost"]


async def test_a_worker_that_is_surely_dead_is_not_waited_for(world: World) -> None:
    dead, alive = IDS.new(), IDS.new()
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    lost = await world.running(job, worker=dead)
    kept = await world.running(job, worker=alive)
    assert await world.recover(dead=[dead]) == 1
    assert (await world.find(lost)).status == RunStatus.QUEUED
    assert (await world.find(kept)).status == RunStatus.RUNNING
    (tried,) = await world.rows("SELECT error FROM attempts")
    assert "process is gone" in tried["error"]


async def test_a_lost_run_that_was_asked_to_cancel_is_cancelled(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 3}))
    await world.cancel(run)
    await (await world.later(seconds=LEASE + 5)).recover()
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_a_lost_run_gives_its_place_to_the_next(world: World) -> None:
    job = await world.job(max_instances=1, retry={"max_attempts": 1})
    _, second = await world.trigger(job, 2)
    await world.claim()
    later = await world.later(seconds=LEASE + 5)
    await later.recover()
    assert ids(await later.claim()) == {second.id}


async def test_a_sweep_is_bounded(world: World) -> None:
    await world.trigger(await world.job(), 7)
    await world.claim()
    later = await world.later(seconds=LEASE + 5)
    assert [await later.recover(limit=3) for _ in range(4)] == [3, 3, 1, 0]


async def test_sweeps_at_once_recover_each_run_once(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 600})
    await world.trigger(job, 40)
    await world.claim(40)
    crowd = [await world.later(seconds=LEASE + 5) for _ in range(4)]

    async def sweep(one: World) -> int:
        return sum([await one.recover(limit=7) for _ in range(7)])

    assert sum(await asyncio.gather(*map(sweep, crowd))) == 40
    rows = await world.live()
    assert {(row["status"], row["attempt"]) for row in rows} == {("queued", 1)}
    assert len(await world.rows("SELECT run_id FROM attempts")) == 40
    assert (await world.totals())["retries"] == 40


async def test_a_sweep_and_a_renewal_at_once_agree(world: World) -> None:
    job = await world.job(retry={"max_attempts": 9, "delay": 0})
    worker = IDS.new()
    for _ in range(4):
        run = await world.running(job, worker=worker)
        one, two = [await world.later(seconds=LEASE + 5) for _ in range(2)]
        renewed, recovered = await asyncio.gather(one.renew(worker, run), two.recover())
        assert len(renewed) + recovered == 1
        row = await world.find(run)
        assert row.status == ("running" if renewed else "queued")
        await one.cancel(run)
        await one.finish(run, outcome=CANCELLED)


async def test_a_sweep_first_asks_whether_there_is_anything_to_do(world: World) -> None:
    async def chores(one: World) -> set[str]:
        return await one.store.read(lambda tx: tx.upkeep.chores())

    assert await chores(world) == set()
    await world.trigger(await world.job(queue="other", start_within=300))
    assert await chores(world) == set()
    run = await world.running()
    assert await chores(world) == {"running"}
    assert await chores(await world.later(seconds=LEASE + 5)) == {"running", "lost"}
    assert await chores(await world.later(seconds=301)) == {"running", "lost", "overdue"}
    await world.finish(run)
    assert await chores(world) == {"tallies"}
    await world.roll_up()
    assert await chores(world) == set()


# ---- start_within


async def test_a_run_not_started_within_start_within_fails(world: World) -> None:
    job = await world.job(every="1h", start_within=300)
    await world.fire()
    (run,) = await world.live()
    assert await world.expire() == 0
    later = await world.later(seconds=301)
    assert await later.expire() == 1
    found = await world.find(run)
    assert (found.status, found.reason, found.attempt) == ("failed", "expired", 0)
    assert "start_within" in str(found.error)
    assert len(await world.rows("SELECT run_id FROM dead_letters")) == 1
    assert (await world.totals())["failed"] == 1
    assert found.job_id == job.id


async def test_a_triggered_run_expires_too(world: World) -> None:
    job, now = await world.job(start_within=300), await world.now()
    await world.trigger(job)
    await world.trigger(job, run_at=now + timedelta(hours=1))
    assert await (await world.later(seconds=301)).expire() == 1
    assert await (await world.later(hours=1, seconds=290)).expire() == 0
    assert await (await world.later(hours=1, seconds=301)).expire() == 1


async def test_what_was_started_once_does_not_expire(world: World) -> None:
    job = await world.job(start_within=300, retry={"max_attempts": 3, "delay": 0})
    run = await world.running(job)
    await world.finish(run, outcome=FAILED)
    assert await (await world.later(hours=1)).expire() == 0


async def test_an_expired_run_gives_its_place_to_the_next(world: World) -> None:
    job = await world.job(max_instances=1, start_within=300)
    first, second = await world.trigger(job, 2)
    await world.execute("UPDATE runs SET start_by = NULL WHERE id = :id", id=second.id)
    later = await world.later(seconds=301)
    assert await later.expire() == 1
    assert (await world.find(first)).status == RunStatus.FAILED
    assert ids(await later.claim()) == {second.id}


async def test_expiring_and_claiming_at_once_agree(world: World) -> None:
    job = await world.job(start_within=300)
    for _ in range(4):
        (run,) = await world.trigger(job)
        one, two = [await world.later(seconds=301) for _ in range(2)]
        expired, claimed = await asyncio.gather(one.expire(), two.claim())
        assert expired + len(claimed) == 1
        assert (await world.find(run)).status == ("failed" if expired else "running")
