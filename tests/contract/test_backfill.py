"""Backfill: the occurrences of a past range as runs, so many at a time, each once, whatever happens meanwhile."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.claim import Claimed
from horae.domain.runs.operation import Operation
from horae.lifecycle.backfill import BackfillPlan
from tests.contract.kinds import on_servers
from tests.contract.ledger import assert_complete
from tests.contract.world import FAILED, PERMANENT, Row, World

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


async def hourly(world: World, **fields: Any) -> JobRecord:
    """An hourly job that a scheduler has nothing to do with yet."""
    return await world.job(every="1h", enabled=False, **fields)


async def past(world: World, job: JobRecord, hours: int, **how: object) -> Operation:
    """A backfill of so many hours before the job was made."""
    return await world.backfill(job, job.anchor_at - hours * HOUR, job.anchor_at - HOUR, **how)  # type: ignore[arg-type]


async def filled(world: World, operation: Operation) -> list[datetime]:
    """The occurrences that have their run, live or ended, in order."""
    rows = [row for row in [*await world.live(), *await world.history()] if row["operation_id"] == operation.id]
    return sorted(row["scheduled_for"] for row in rows)


async def live(world: World, operation: Operation) -> list[Row]:
    return [row for row in await world.live() if row["operation_id"] == operation.id]


async def work_off(world: World) -> list[Claimed]:
    worked: list[Claimed] = []
    while runs := await world.claim():
        worked += runs
        await world.finish(*runs)
    return worked


async def test_both_ends_of_the_range_are_in_it(world: World) -> None:
    job = await world.job(cron="0 * * * *", timezone="Europe/Berlin", queue="slow", priority=3)
    start = datetime(2026, 3, 29, tzinfo=UTC)
    plan = await world.plan_backfill(job, start, start + 2 * HOUR)
    assert plan == BackfillPlan(3, start, start + 2 * HOUR)
    assert await world.rows("SELECT id FROM operations") == await world.live() == [], "a plan does nothing"
    operation = await world.backfill(job, start, start + 2 * HOUR, parallelism=5)
    assert (operation.kind, operation.state, operation.done, operation.total) == ("backfill", "running", 0, 3)
    rows = await world.live()
    assert [row["scheduled_for"] for row in rows] == [start, start + HOUR, start + 2 * HOUR]
    for row in rows:
        assert (row["trigger"], row["occurrence"], row["held"], row["triggered_by"]) == (
            "backfill",
            None,
            False,
            "tester",
        )
        assert (row["queue"], row["priority"], row["version"]) == ("slow", 3, 1)
    inside = await world.plan_backfill(job, start + timedelta(microseconds=1), start + 2 * HOUR - MINUTE)
    assert inside == BackfillPlan(1, start + HOUR, start + HOUR)


async def test_the_same_asked_for_twice_runs_once(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 4)
    start, end = job.anchor_at - 4 * HOUR, job.anchor_at - HOUR
    for _ in ("running", "done"):
        assert (await past(world, job, 4, parallelism=3)).id == operation.id
        # Other ends of the range, but the same occurrences in it.
        assert (await world.backfill(job, start - MINUTE, end + MINUTE)).id == operation.id
        assert (await world.plan_backfill(job, start, end)).existing == operation.id
        await work_off(world)
    assert len(await world.history()) == 4
    assert len(await world.rows("SELECT id FROM audit_log WHERE action = 'job.backfill'")) == 1
    assert (await past(world, job, 5)).id != operation.id
    assert (await past(world, await hourly(world), 4)).id != operation.id


async def test_asked_for_at_once_it_runs_once(world: World) -> None:
    job = await hourly(world)
    crowd = await world.crowd(4)
    made = await asyncio.gather(*(past(one, job, 3) for one in crowd))
    assert len({operation.id for operation in made}) == 1
    await work_off(world)
    assert len(await world.history()) == 3


async def test_when_the_same_runs_again(world: World) -> None:
    """With `again`, after the first was cancelled, and after an edit of the job."""
    job = await hourly(world)
    first = await past(world, job, 3)
    again = await past(world, job, 3, again=True)
    assert again.id != first.id
    assert (await past(world, job, 3)).id == again.id, "the newest"
    for operation in (first, again):
        await world.cancel_operation(operation)
    third = await past(world, job, 3)
    assert third.id not in (first.id, again.id)
    edited = await world.edit(job, queue="other")
    assert (await world.backfill(edited, job.anchor_at - 3 * HOUR, job.anchor_at - HOUR)).id != third.id


async def test_empty_ranges_are_not_each_other(world: World) -> None:
    job = await hourly(world)
    start = job.anchor_at - 4 * HOUR
    one, two = [await world.backfill(job, start + n * MINUTE, start + (n + 1) * MINUTE) for n in (1, 3)]
    assert (one.total, one.id == two.id) == (0, False)


async def test_one_after_the_other_with_progress(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 4)
    order = []
    for done in range(4):
        found = await world.operation(operation)
        assert (found.state, found.done, found.total, found.finished_at) == ("running", done, 4, None)
        (run,) = await world.claim()
        order.append(run.scheduled_for)
        await world.finish(run)
    found = await world.operation(operation)
    assert (found.state, found.done) == ("done", 4)
    assert found.finished_at is not None
    assert order == [job.anchor_at - hours * HOUR for hours in (4, 3, 2, 1)]
    assert await world.live() == []


async def test_the_bound_holds_while_many_finish_at_once(world: World) -> None:
    job = await hourly(world, overlap="allow")  # a limit of the job would make them take turns
    operation = await past(world, job, 40, parallelism=4)
    done = asyncio.Event()
    most = 0

    async def work(one: World) -> None:
        while (await one.operation(operation)).state == "running":
            for run in await one.claim(2):
                await one.finish(run)

    async def watch(one: World) -> None:
        nonlocal most
        while not done.is_set():
            most = max(most, len(await live(one, operation)))

    *workers, watcher = await world.crowd(5)
    watching = asyncio.create_task(watch(watcher))
    await asyncio.gather(*map(work, workers))
    done.set()
    await watching
    assert 1 <= most <= 4
    found = await world.operation(operation)
    assert (found.state, found.done) == ("done", 40)
    times = await filled(world, operation)
    assert times == [job.anchor_at - hours * HOUR for hours in range(40, 0, -1)], "each once"


async def test_the_same_request_again_is_the_same_backfill(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 3, id=world.ids.new(), parallelism=2)
    await world.finish(*await world.claim(1))
    again = await past(world, job, 3, id=operation.id, parallelism=2)
    assert (again.id, again.done) == (operation.id, 1)
    assert len(await filled(world, operation)) == 3
    crowd, key = await world.crowd(3), world.ids.new()
    results = await asyncio.gather(*(past(one, job, 2, id=key) for one in crowd), return_exceptions=True)
    made = [result for result in results if isinstance(result, Operation)]
    assert {one.id for one in made} == {key}
    assert all(isinstance(result, Operation | Conflict) for result in results)
    assert len(await live(world, made[0])) == 1
    await work_off(world)
    assert (await world.operation(operation)).state == (await world.operation(made[0])).state == "done"
    assert len(await filled(world, made[0])) == 2


async def test_it_goes_on_after_every_kind_of_end(world: World) -> None:
    """Nothing of it is in memory: each step is another process, and a run that ends badly is done too."""
    job = await hourly(world, retry={"max_attempts": 1})
    operation = await past(world, job, 5)
    (run,) = await (await world.later()).claim()
    await (await world.later()).finish(run, outcome=PERMANENT)
    (run,) = await (await world.later()).claim()
    later = await world.later(seconds=20)
    assert await later.recover() == 1
    (queued,) = await live(world, operation)
    await later.cancel(queued)
    (run,) = await later.claim()
    await later.finish(run, reply_lost=True)
    (run,) = await later.claim()
    await later.finish(run, outcome=FAILED)
    found = await world.operation(operation)
    assert (found.state, found.done, found.total) == ("done", 5, 5)
    assert [row["status"] for row in await world.history()] == ["failed", "failed", "cancelled", "succeeded", "failed"]


async def test_a_retry_is_not_done_yet(world: World) -> None:
    job = await hourly(world, retry={"max_attempts": 2, "delay": 0})
    operation = await past(world, job, 2)
    await world.finish(*await world.claim(), outcome=FAILED)
    assert (await world.operation(operation)).done == 0
    assert len(await live(world, operation)) == 1
    assert len(await work_off(world)) == 2
    assert (await world.operation(operation)).state == "done"


async def test_nothing_in_the_range_is_done_at_once(world: World) -> None:
    job = await world.job(cron="0 0 1 1 *")
    start = datetime(2026, 5, 1, tzinfo=UTC)
    assert await world.plan_backfill(job, start, start + HOUR) == BackfillPlan(0, None, None)
    operation = await world.backfill(job, start, start + HOUR)
    assert (operation.state, operation.done, operation.total) == ("done", 0, 0)
    assert operation.finished_at is not None


async def test_an_invalid_range_is_refused(world: World) -> None:
    job, now = await hourly(world), await world.now()
    for start, end, field in (
        (now - HOUR, now + HOUR, "end"),
        (now - HOUR, now - 2 * HOUR, "end"),
        (now - timedelta(days=365 * 20), now, "end"),
    ):
        with pytest.raises(InvalidInput) as caught:
            await world.backfill(job, start, end)
        assert caught.value.field == field
    for other in (await world.job(manual=True), await world.job(after={"job": job.id})):
        with pytest.raises(InvalidInput, match="no schedule"):
            await world.backfill(other, now - HOUR, now)
    with pytest.raises(NotFound):
        await world.backfill("nobody", now - HOUR, now)
    assert await world.rows("SELECT id FROM operations") == await world.live() == []


async def test_the_grid_reaches_back_before_the_job_was_made(world: World) -> None:
    job = await world.job(every="40m", enabled=False)
    plan = await world.plan_backfill(job, job.anchor_at - 3 * HOUR, job.anchor_at)
    assert plan == BackfillPlan(5, job.anchor_at - 160 * MINUTE, job.anchor_at)
    begun = await world.job(every="40m", start_at=job.anchor_at - HOUR, enabled=False)
    plan = await world.plan_backfill(begun, job.anchor_at - 3 * HOUR, job.anchor_at)
    assert plan == BackfillPlan(2, job.anchor_at - HOUR, job.anchor_at - 20 * MINUTE), "not before start_at"


async def test_an_edit_meanwhile_changes_nothing_of_it(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 4)
    await world.finish(*await world.claim())
    await (await world.later(minutes=7)).edit(job, every="25m")
    await work_off(world)
    found = await world.operation(operation)
    assert (found.state, found.done) == ("done", 4)
    assert await filled(world, operation) == [job.anchor_at - hours * HOUR for hours in (4, 3, 2, 1)]
    assert {row["version"] for row in await world.history(job) if row["trigger"] == "backfill"} == {1}


async def test_its_runs_take_no_place_of_the_others(world: World) -> None:
    job = await world.job(every="1h", overlap="skip", max_instances=1)
    operation = await past(world, job, 3, parallelism=3)
    assert len(await live(world, operation)) == 3
    assert (await world.fire()).runs == 1
    (held,) = await world.trigger(job)
    assert held.held is True
    runs = await world.claim()
    assert len(runs) == 4
    await world.finish(*(run for run in runs if run.trigger == "backfill"))
    assert (await world.find(held)).held is True, "it waits for the scheduled one"
    await world.finish(*(run for run in runs if run.trigger != "backfill"))
    assert (await world.find(held)).held is False
    await assert_complete(world, job)


async def test_cancel_running_spares_its_runs(world: World) -> None:
    job = await world.job(every="1h", overlap="cancel_running")
    await past(world, job, 1)
    await world.fire()
    runs = await world.claim()
    later = await world.later(hours=1, seconds=1)
    await later.fire()
    asked = {row["trigger"] for row in await world.live() if row["cancel_requested_at"] is not None}
    assert len(runs) == 2
    assert asked == {"schedule"}


async def test_it_works_while_the_job_is_paused_or_off(world: World) -> None:
    job = await world.job(every="1h")
    for switch in (world.pause, world.disable):
        await switch(job)
        operation = await past(world, job, 2)
        await work_off(world)
        assert (await world.operation(operation)).state == "done"


async def test_cancelled_midway(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 9, parallelism=3)
    running = await world.claim(1)
    cancelled = await world.cancel_operation(operation)
    assert (cancelled.state, cancelled.total) == ("cancelled", 9)
    (row,) = await live(world, operation)
    assert (row["id"], row["cancel_requested_at"] is not None) == (running[0].id, True)
    await world.finish(*running)
    assert await live(world, operation) == []
    assert len(await filled(world, operation)) == 3
    assert (await world.operation(operation)).state == "cancelled"
    with pytest.raises(Conflict, match="cancelled already"):
        await world.cancel_operation(operation)
    with pytest.raises(NotFound):
        await world.cancel_operation(replace(operation, id=world.ids.new()))


async def test_cancelled_though_the_answer_was_lost(world: World) -> None:
    operation = await past(world, await hourly(world), 9, parallelism=3)
    assert (await world.cancel_operation(operation, reply_lost=True)).state == "cancelled"
    trail = await world.rows("SELECT id FROM audit_log WHERE action = 'operation.cancel'")
    assert len(trail) == 1


async def test_deleting_the_job_ends_it(world: World) -> None:
    job = await hourly(world)
    operation = await past(world, job, 9, parallelism=3)
    (running,) = await world.claim(1)
    await world.delete(job)
    assert [row["id"] for row in await world.live()] == [running.id], (
        "nothing new comes in the place of what was cancelled"
    )
    await world.finish(running)
    assert await world.live() == []
    found = await world.operation(operation)
    assert (found.state, found.finished_at is not None) == ("cancelled", True)


@on_servers
async def test_deleting_the_job_while_its_runs_end_leaves_none_behind(world: World) -> None:
    for _ in range(4):
        job = await hourly(world)
        operation = await past(world, job, 30, parallelism=4)
        runs = await world.claim()
        one, two, three = await world.crowd(3)
        await asyncio.gather(one.finish(*runs[:2]), two.delete(job), three.finish(*runs[2:]))
        assert (await world.operation(operation)).state == "cancelled"
        await work_off(world)
        left = await world.live()
        assert [row for row in left if row["cancel_requested_at"] is None] == []
        for run in runs:
            await world.finish(run)
        assert await world.live() == []
        assert len(await filled(world, operation)) <= 12
