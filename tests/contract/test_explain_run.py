"""Why a run waits, or how it ended: each gate is forced alone on a real database, and is then the only closed one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from horae.domain.runs.run_record import RunRecord
from tests.contract.explaining import alive, alone, beat, gate, nothing_closed, of_job, of_run
from tests.contract.values import Row
from tests.contract.world import CANCELLED, FAILED, PERMANENT, TIMED_OUT, World, scheduler_sign


async def queued(world: World, **fields: Any) -> RunRecord:
    (run,) = await world.trigger(await world.job(**fields))
    return run


async def test_a_run_that_nothing_is_in_the_way_of(world: World) -> None:
    await alive(world, scheduler=False)
    found = await of_run(world, await queued(world))
    assert "a worker is about to take it" in nothing_closed(found)
    assert [one.event for one in found.timeline] == ["created", "now"]
    assert "triggered by tester (api)" in found.timeline[0].detail


async def test_a_held_run(world: World) -> None:
    await alive(world)
    job = await world.job(max_instances=2)
    first, second, third, fourth = await world.trigger(job, 4)
    closed = alone(await of_run(world, fourth), "held")
    assert "behind 2 runs under way" in closed.detail
    assert first.id in closed.detail
    assert second.id in closed.detail
    assert "and 1 run held before it" in closed.detail
    found = await of_run(world, third)
    assert "held before it" not in alone(found, "held").detail
    assert "held" in [one.event for one in found.timeline]


async def test_a_run_that_waits_for_a_slot_of_the_worker_that_claimed_it(world: World) -> None:
    worker = await alive(world, name="w-1")
    job = await world.job()
    await world.trigger(job)
    (run,) = await world.claim(0, ahead=1, worker=worker.id)
    found = await of_run(world, await world.find(run))
    assert "w-1 has claimed it ahead" in alone(found, "worker").detail
    assert [one.event for one in found.timeline] == ["created", "now"]
    assert "claimed ahead by worker w-1" in gate(await of_job(world, job), "runs").detail


async def test_a_run_for_later(world: World) -> None:
    await alive(world)
    at = await world.now() + timedelta(hours=5)
    (run,) = await world.trigger(await world.job(), run_at=at)
    found = await of_run(world, run)
    assert alone(found, "due").until == at
    assert [one.event for one in found.timeline] == ["created", "now", "due"]


async def test_a_run_for_later_of_a_job_with_a_limit_waits_for_its_turn_once_it_is_due(world: World) -> None:
    await alive(world)
    job = await world.job(max_instances=1, overlap="queue_all")
    await world.trigger(job)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=5))
    assert [one.event for one in (await of_run(world, run)).timeline] == ["created", "now", "due"]
    later = await world.later(hours=6)
    assert [one.event for one in (await of_run(later, run)).timeline] == ["created", "due", "held", "now"]


async def test_a_run_that_its_jitter_moved(world: World) -> None:
    await alive(world)
    job = await world.job(every="1h", jitter=3_500)
    await world.fire()
    (run,) = await world.live(job)
    assert "its jitter moved it" in alone(await of_run(world, run), "due").detail


async def test_a_run_that_waits_for_its_next_attempt(world: World) -> None:
    await alive(world)
    run = await world.running(await world.job(retry={"max_attempts": 3, "delay": 600}))
    await world.finish(run, outcome=FAILED)
    found = await of_run(world, run)
    closed = alone(found, "backoff")
    assert "attempt 1 of 3 failed: it broke" in closed.detail
    assert closed.until is not None
    assert [one.event for one in found.timeline] == ["created", "claimed", "attempt", "now", "due"]
    assert found.timeline[-1].waited_for == "its backoff"
    assert found.timeline[3].waited_for == closed.detail


async def test_a_run_that_should_have_started(world: World) -> None:
    worker = await alive(world)
    run = await queued(world, start_within=60)
    assert gate(await of_run(world, run), "start_within").state == "open"
    later = await world.later(seconds=61)
    await beat(later, worker)
    alone(await of_run(later, run), "start_within")
    await later.expire()
    found = await of_run(later, run)
    assert "failed" in found.summary
    alone(found, "start_within")


async def test_a_queue_without_workers_blocks_the_run(world: World) -> None:
    await alive(world)
    alone(await of_run(world, await queued(world, queue="mail")), "queue")


async def test_a_run_that_no_worker_can_carry_out(world: World) -> None:
    await alive(world, offers=("http",))
    alone(await of_run(world, await queued(world)), "capability")


async def test_a_run_behind_others_while_all_slots_are_busy(world: World) -> None:
    worker = await alive(world)
    await queued(world)
    await queued(world, priority=9)
    run = await queued(world)
    await queued(world)
    await beat(world, worker, status="busy", busy=4)
    closed = alone(await of_run(world, run), "slots")
    assert "all 4 slots of worker worker are busy; 2 runs ahead of it in the queue" in closed.detail


async def test_a_running_run(world: World) -> None:
    worker = await alive(world)
    run = await world.running(worker=worker.id)
    found = await of_run(world, run)
    assert "is running: attempt 1" in nothing_closed(found)
    assert {one.name for one in found.gates} == {"attempt", "worker", "lease"}
    assert [one.event for one in found.timeline] == ["created", "claimed", "now"]
    assert "attempt 1 by worker worker" in found.timeline[1].detail


async def test_a_run_that_was_asked_to_stop(world: World) -> None:
    worker = await alive(world)
    run = await world.running(worker=worker.id)
    await world.cancel(run)
    assert "tester asked it to stop" in alone(await of_run(world, run), "cancel").detail


async def test_a_run_whose_worker_is_lost(world: World) -> None:
    worker = await alive(world)
    run = await world.running(worker=worker.id)
    later = await world.later(seconds=20)
    closed = alone(await of_run(later, run), "lease")
    assert "horae runs reset-stuck" in (closed.unblock or "")
    assert gate(await of_run(later, run), "worker").state == "unknown"
    await later.store.transact(lambda tx: tx.processes.register_scheduler(scheduler_sign()))
    assert "should recover it" in (alone(await of_run(later, run), "lease").unblock or "")


async def test_a_run_that_succeeded(world: World) -> None:
    worker = await alive(world)
    job = await world.job(every="1h", retry={"max_attempts": 2, "delay": 0})
    await world.fire()
    (run,) = await world.claim(worker=worker.id)
    await world.finish(run, outcome=FAILED)
    (run,) = await world.claim(worker=worker.id)
    await world.finish(run)
    found = await of_run(world, run)
    assert "succeeded" in nothing_closed(found)
    assert f"{job.spec.name!r} succeeded" in found.summary
    events = [one.event for one in found.timeline]
    assert events == ["due", "created", "claimed", "attempt", "claimed", "attempt", "ended"]
    assert "fired by scheduler" in found.timeline[1].detail
    assert "attempt 1 failed: it broke" in found.timeline[3].detail
    assert "attempt 2 succeeded" in found.timeline[5].detail
    assert [one.at for one in found.timeline] == sorted(one.at for one in found.timeline)
    assert sum(one.waited_ms or 0 for one in found.timeline) == pytest.approx(
        (found.timeline[-1].at - found.timeline[0].at).total_seconds() * 1000, abs=10
    )


@pytest.mark.parametrize(
    ("outcome", "attempts", "name", "words"),
    [(FAILED, 1, "attempts", "no attempts are left"), (PERMANENT, 3, "permanent", "the failure is permanent")],
)
async def test_a_run_that_failed(world: World, outcome: Any, attempts: int, name: str, words: str) -> None:
    await alive(world)
    ended = await world.ended(await world.job(retry={"max_attempts": attempts}), outcome)
    found = await of_run(world, ended)
    closed = alone(found, name)
    assert words in closed.detail
    assert str(outcome.error) in closed.detail
    assert "has been a dead letter since" in gate(found, "dead_letter").detail
    await world.execute("DELETE FROM dead_letters")
    assert "no longer a dead letter" in gate(await of_run(world, ended), "dead_letter").detail


async def test_the_last_attempt_has_its_own_outcome(world: World) -> None:
    await alive(world)
    ended = await world.ended(await world.job(retry={"max_attempts": 1}), TIMED_OUT)
    told = [one.detail for one in (await of_run(world, ended)).timeline if one.event == "attempt"]
    assert [one.partition(":")[0] for one in told] == ["attempt 1 timed out"]


async def test_a_run_that_was_cancelled(world: World) -> None:
    await alive(world)
    run = await queued(world)
    await world.cancel(run)
    found = await of_run(world, run)
    assert "tester cancelled it before any attempt" in alone(found, "cancel").detail
    assert "was cancelled" in found.summary
    running = await world.running()
    await world.cancel(running)
    await world.finish(running, outcome=CANCELLED)
    assert "tester cancelled it during attempt 1" in alone(await of_run(world, running), "cancel").detail


async def skipped(world: World, reason: str) -> Row:
    now = await world.now()
    if reason == "overlap":
        job = await world.job(every="1s")
        await world.fire()
        await (await world.later(seconds=1.5)).fire()
    elif reason == "missed":
        job = await world.job(every="1h", catch_up="none")
        await (await world.later(hours=2)).fire()
    elif reason == "blackout":
        blackout = {"start": now.isoformat(), "end": (now + timedelta(minutes=90)).isoformat()}
        job = await world.job(every="1h", start_at=(now + timedelta(minutes=1)).isoformat(), blackouts=[blackout])
        await (await world.later(minutes=121.5)).fire()
    elif reason == "paused":
        load = await world.job()
        job = await world.job(schedule={"after": {"job": load.spec.name}})
        await world.pause(job)
        await world.ended(load)
    else:
        job = await world.job(every="1s")
        await world.fire()
        await (await world.later(seconds=1.5)).fire()
        await world.execute("UPDATE run_history SET reason = :reason", reason=reason)
    (row,) = await world.history(job, status="skipped")
    return row


@pytest.mark.parametrize("reason", ["overlap", "missed", "blackout", "disabled", "dst_gap", "paused", "function"])
async def test_a_skipped_occurrence_names_the_gate_that_stopped_it(world: World, reason: str) -> None:
    await alive(world)
    row = await skipped(world, reason)
    found = await of_run(world, row)
    assert "on record" not in alone(found, reason).detail, "it says what the reason means"
    assert "was skipped" in found.summary
    assert found.timeline[0].event == "due"
    assert found.timeline[-1].detail == f"skipped ({reason})"
