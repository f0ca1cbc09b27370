"""Why a job does not run: each gate is forced alone on a real database, and is then the only closed one."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from horae.accounts.usage import set_quotas
from horae.domain.people.quota import Quota
from tests.contract.explaining import HOURLY, alive, alone, beat, gate, nothing_closed, of_job, renew_shards
from tests.contract.world import FAILED, PERMANENT, World, scheduler_sign


async def test_a_job_that_is_due_and_free(world: World) -> None:
    await alive(world)
    found = await of_job(world, await world.job(**HOURLY))
    assert "nothing blocks it" in nothing_closed(found)
    assert [one.name for one in found.gates] == [
        *("enabled", "paused", "occurrences", "due", "scheduler"),
        *("overlap", "max_instances", "queue", "capability", "slots"),
    ]
    assert {one.state for one in found.gates} == {"open"}


async def test_a_job_that_only_waits_for_its_time(world: World) -> None:
    await alive(world)
    job = await world.job(cron="0 0 1 1 *", timezone="Europe/Berlin")
    due = alone(await of_job(world, job), "due")
    assert due.until == job.next_run_at
    assert "00:00 Europe/Berlin" in due.detail
    assert f"horae jobs run '{job.spec.name}'" in (due.unblock or "")


async def test_a_project_that_has_all_its_live_runs(world: World) -> None:
    await alive(world)
    job, other = await world.job(**HOURLY), await world.job(manual=True, queue="elsewhere")
    limits = {Quota.LIVE_RUNS: 1}
    await world.store.transact(set_quotas, project_id=world.project, limits=limits, actor="ann")
    assert gate(await of_job(world, job), "quota").state == "open"
    await world.trigger(other)
    closed = alone(await of_job(world, job), "quota")
    assert "quota of live runs (1) is used up" in closed.detail
    assert "admin" in (closed.unblock or "")


async def test_a_disabled_job(world: World) -> None:
    await alive(world)
    job = await world.job(**HOURLY, enabled=False)
    closed = alone(await of_job(world, job), "enabled")
    assert "tester" in closed.detail
    assert closed.unblock == f"horae jobs enable '{job.spec.name}'"


@pytest.mark.parametrize("for_", [None, timedelta(hours=3)])
async def test_a_paused_job(world: World, for_: timedelta | None) -> None:
    await alive(world)
    job = await world.job(**HOURLY)
    until = None if for_ is None else await world.now() + for_
    await world.execute("UPDATE jobs SET paused = :yes, paused_until = :until", yes=True, until=until)
    closed = alone(await of_job(world, job), "paused")
    assert closed.unblock == f"horae jobs resume '{job.spec.name}'"
    assert closed.until == until
    assert ("in 2 h 59 min" in closed.detail) == (until is not None)


async def test_an_expired_pause_blocks_nothing(world: World) -> None:
    await alive(world)
    job = await world.job(**HOURLY)
    past = await world.now() - timedelta(minutes=1)
    await world.execute("UPDATE jobs SET paused = :yes, paused_until = :past", yes=True, past=past)
    assert gate(await of_job(world, job), "paused").state == "open"


async def test_a_job_that_has_not_begun(world: World) -> None:
    await alive(world)
    start = await world.now() + timedelta(days=2)
    job = await world.job(every="1h", start_at=start.isoformat())
    found = await of_job(world, job)
    assert alone(found, "start_end").until == start
    assert gate(found, "due").state == "info"


async def test_a_job_that_made_all_its_runs(world: World) -> None:
    worker = await alive(world)
    job = await world.job(every="1h", max_runs=1)
    await world.fire()
    await world.finish(*await world.claim())
    later = await world.later(hours=2)
    await beat(later, worker)
    closed = alone(await of_job(world, job), "occurrences")
    assert "max_runs (1) is reached" in closed.detail


async def test_a_job_whose_end_has_passed(world: World) -> None:
    worker = await alive(world)
    now = await world.now()
    job = await world.job(every="1h", end_at=(now + timedelta(minutes=30)).isoformat())
    await world.fire()
    await world.finish(*await world.claim())
    later = await world.later(minutes=40)
    await beat(later, worker)
    await renew_shards(later)
    found = await of_job(later, job)
    assert "end_at was" in alone(found, "occurrences").detail


async def test_a_blackout_that_the_next_occurrence_falls_into(world: World) -> None:
    await alive(world)
    now = await world.now()
    end = now + timedelta(days=1)
    blackout = {"start": (now - timedelta(hours=1)).isoformat(), "end": end.isoformat()}
    job = await world.job(every="1h", start_at=(now - timedelta(minutes=1)).isoformat(), blackouts=[blackout])
    found = await of_job(world, job)
    assert alone(found, "blackout").until == end
    assert gate(found, "due").state == "info"


async def test_a_shard_without_an_owner_blocks_the_job(world: World) -> None:
    await alive(world, scheduler=False)
    job = await world.job(**HOURLY)
    closed = alone(await of_job(world, job), "scheduler")
    assert "no scheduler owns its shard" in closed.detail
    assert "horae scheduler" in (closed.unblock or "")


async def test_the_owner_of_the_shard_is_gone(world: World) -> None:
    worker = await alive(world)
    job = await world.job(**HOURLY)
    later = await world.later(minutes=11)
    await beat(later, worker)
    found = await of_job(later, job)
    closed = alone(found, "scheduler")
    assert "host (process 1) did, but its lease ran out" in closed.detail
    await later.store.transact(lambda tx: tx.processes.register_scheduler(scheduler_sign()))
    assert "should take over the shard" in (alone(await of_job(later, job), "scheduler").unblock or "")


async def test_overlap_skips_what_comes(world: World) -> None:
    await alive(world)
    job = await world.job(every="1s")
    await world.fire()
    later = await world.later(seconds=5)
    (run,) = await world.live(job)
    found = await of_job(later, job)
    closed = alone(found, "overlap")
    assert run["id"] in closed.detail
    assert f"horae runs cancel {run['id']}" in (closed.unblock or "")
    await later.fire()
    found = await of_job(later, job)
    assert alone(found, "overlap"), "what was skipped just now is still felt, though the next is not due yet"
    (skipped,) = re.findall(r"overlap (\d+)", gate(found, "skipped").detail)
    assert int(skipped) >= 4


async def test_a_run_in_its_backoff_keeps_its_place(world: World) -> None:
    await alive(world)
    job = await world.job(every="1s", retry={"max_attempts": 3, "delay": 600})
    await world.fire()
    await world.finish(*await world.claim(), outcome=FAILED)
    found = await of_job(await world.later(seconds=5), job)
    assert "backing off after attempt 1 until" in alone(found, "overlap").detail


async def test_a_running_run_blocks_nothing_until_the_next_occurrence(world: World) -> None:
    await alive(world)
    job = await world.job(**HOURLY)
    await world.fire()
    found = await of_job(world, job)
    assert gate(found, "overlap").state == "info"
    alone(found, "due")


async def test_max_instances_lets_it_wait(world: World) -> None:
    await alive(world)
    job = await world.job(every="1s", overlap="queue_all")
    await world.fire()
    later = await world.later(seconds=5)
    found = await of_job(later, job)
    (run,) = await world.live(job)
    assert run["id"] in alone(found, "max_instances").detail
    assert "waits for its turn" in gate(found, "overlap").detail


async def test_triggers_wait_for_their_turn(world: World) -> None:
    await alive(world)
    job = await world.job(max_instances=1)
    await world.trigger(job, 3)
    assert "2 runs held" in alone(await of_job(world, job), "max_instances").detail


async def test_cancel_running_makes_room(world: World) -> None:
    await alive(world)
    job = await world.job(every="1s", overlap="cancel_running")
    await world.fire()
    later = await world.later(seconds=5)
    nothing_closed(await of_job(later, job))


async def test_a_queue_without_workers_blocks_the_job(world: World) -> None:
    await alive(world, worker=False)
    job = await world.job(**HOURLY, queue="mail")
    closed = alone(await of_job(world, job), "queue")
    assert "no worker is alive" in closed.detail
    assert "start a worker that serves queue 'mail'" in (closed.unblock or "")
    await alive(world, scheduler=False, name="other", queues=("reports", "web"))
    assert "other (serves other queues)" in alone(await of_job(world, job), "queue").detail
    await alive(world, scheduler=False, name="all", queues=())
    nothing_closed(await of_job(world, job))


async def test_a_worker_that_is_shutting_down_serves_no_queue(world: World) -> None:
    worker = await alive(world)
    await beat(world, worker, status="draining")
    assert "shutting down" in alone(await of_job(world, await world.job(**HOURLY)), "queue").detail
    await beat(world, worker, status="offline")
    alone(await of_job(world, await world.job(**HOURLY)), "queue")


async def test_a_worker_that_is_silent_may_be_gone(world: World) -> None:
    await alive(world)
    job = await world.job(**HOURLY)
    found = await of_job(await world.later(seconds=5), job)
    assert gate(found, "queue").state == "open"
    found = await of_job(await world.later(seconds=40), job)
    assert gate(found, "queue").state == "unknown"
    assert gate(found, "queue").detail in nothing_closed(found) or gate(found, "scheduler").state == "unknown"
    found = await of_job(await world.later(minutes=4), job)
    alone(found, "queue")


async def test_a_function_that_no_worker_has(world: World) -> None:
    await alive(world, offers=("http", "python:other"))
    job = await world.job(**HOURLY)
    closed = alone(await of_job(world, job), "capability")
    assert "'python:work'" in closed.detail
    assert "worker offers http, python:other" in closed.detail
    assert "--import" in (closed.unblock or "")


async def test_all_slots_are_busy(world: World) -> None:
    worker = await alive(world)
    job = await world.job(**HOURLY)
    await beat(world, worker, status="busy", busy=4)
    closed = alone(await of_job(world, job), "slots")
    assert "all 4 slots" in closed.detail
    await world.fire()
    await world.finish(*await world.claim())
    found = await of_job(world, job)
    assert gate(found, "slots").state == "info", "nobody wants a slot before the next occurrence"
    alone(found, "due")


async def test_a_job_that_waits_for_another(world: World) -> None:
    await alive(world)
    load = await world.job()
    report = await world.job(schedule={"after": {"job": load.spec.name, "on": "success"}})
    assert "which has never run" in alone(await of_job(world, report), "after").detail
    await world.ended(load, PERMANENT)
    closed = alone(await of_job(world, report), "after")
    assert f"it waits for job '{load.spec.name}' to succeed, whose last run failed" in closed.detail
    await world.trigger(load)
    assert "1 run live now" in alone(await of_job(world, report), "after").detail


async def test_a_manual_job_does_not_wait_for_a_scheduler(world: World) -> None:
    await alive(world, scheduler=False)
    found = await of_job(world, await world.job())
    assert "runs only when triggered" in nothing_closed(found)


async def test_skipped_occurrences_are_counted_with_their_reason(world: World) -> None:
    worker = await alive(world)
    job = await world.job(every="1h", catch_up="none")
    later = await world.later(hours=3, minutes=2)
    await later.fire()
    await beat(later, worker)
    await renew_shards(later)
    found = await of_job(later, job)
    assert "4 occurrences were skipped since" in gate(found, "skipped").detail
    assert "missed 4" in gate(found, "skipped").detail
    assert "was skipped: missed" in found.summary
    alone(found, "due")


async def test_the_last_run_is_described_with_its_error(world: World) -> None:
    await alive(world)
    job = await world.job()
    ended = await world.ended(job, PERMANENT)
    last = gate(await of_job(world, job), "last_run")
    assert ended.id in last.detail
    assert "failed" in last.detail
    assert "no such thing" in last.detail


async def test_backfills_take_no_place(world: World) -> None:
    await alive(world)
    job = await world.job(**HOURLY)
    await world.trigger(job)
    await world.execute("""UPDATE runs SET "trigger" = 'backfill'""")
    assert "0 of at most 1 run" in gate(await of_job(world, job), "max_instances").detail
