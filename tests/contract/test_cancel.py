"""Cancel: queued runs end at once, running ones are asked to stop; there is always one outcome."""

import asyncio

import pytest

from horae.domain.errors import NotFound
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import RunStatus
from tests.contract.world import CANCELLED, FAILED, IDS, SUCCEEDED, World, ids


async def test_a_queued_run_ends_at_once(world: World) -> None:
    (run,) = await world.trigger(await world.job())
    (cancelled,) = await world.cancel(run)
    assert (cancelled.id, cancelled.status, cancelled.attempt) == (run.id, RunStatus.CANCELLED, 0)
    assert await world.live() == []
    assert await world.claim() == []
    assert (await world.totals())["cancelled"] == 1


async def test_a_running_run_is_asked(world: World) -> None:
    worker = IDS.new()
    run = await world.running(worker=worker)
    (asked,) = await world.cancel(run)
    assert asked.status == RunStatus.RUNNING
    assert asked.cancel_requested_at is not None
    assert await world.store.read(lambda tx: tx.runs.cancelling(worker)) == [(run.id, run.token)]
    assert await world.store.read(lambda tx: tx.runs.cancelling(IDS.new())) == []
    await world.finish(run, outcome=CANCELLED)
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_the_worker_gets_a_hint(world: World) -> None:
    worker, hints = IDS.new(), []

    async def hear(sent: object) -> None:
        hints.append(sent)

    run = await world.running(worker=worker)
    world.store.send = hear
    await world.cancel(run)
    assert hints == [{f"cancel:{worker}"}]


async def test_a_run_that_waits_for_its_retry_ends_at_once(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 3, "delay": 600}))
    await world.finish(run, outcome=FAILED)
    await world.cancel(run)
    found = await world.find(run)
    assert (found.status, found.attempt) == (RunStatus.CANCELLED, 1)


async def test_a_cancelled_held_run_ends_at_once_and_does_not_block_the_next(world: World) -> None:
    job = await world.job(max_instances=1)
    first, second, third = await world.trigger(job, 3)
    await world.cancel(second)
    (run,) = await world.claim()
    assert run.id == first.id
    await world.finish(run)
    assert ids(await world.claim()) == {third.id}


async def test_cancelling_what_has_a_place_gives_it_to_the_next(world: World) -> None:
    job = await world.job(max_instances=1)
    first, second = await world.trigger(job, 2)
    await world.cancel(first)
    assert ids(await world.claim()) == {second.id}


async def test_an_ended_run_is_left_as_it_is(world: World) -> None:
    ended = await world.ended()
    before = await world.history()
    (found,) = await world.cancel(ended)
    assert found.status == RunStatus.SUCCEEDED
    assert await world.history() == before


async def test_asking_twice_is_asking_once(world: World) -> None:
    run = await world.running()
    (first,) = await world.cancel(run)
    (again,) = await (await world.later(seconds=60)).cancel(run)
    assert again.cancel_requested_at == first.cancel_requested_at


async def test_many_at_once_in_all_states(world: World) -> None:
    job = await world.job()
    ended, running = await world.ended(job), await world.running(job)
    queued = await world.trigger(job, 3)
    found = await world.cancel(ended, running, *queued)
    assert [run.status for run in found] == ["succeeded", "running", "cancelled", "cancelled", "cancelled"]


async def test_with_one_unknown_run_nothing_is_cancelled(world: World) -> None:
    (run,) = await world.trigger(await world.job())
    with pytest.raises(NotFound):
        await world.cancel(run, IDS.new())
    assert (await world.find(run)).status == RunStatus.QUEUED


async def test_cancel_and_claim_at_once_agree(world: World) -> None:
    job, seen = await world.job(), set()
    for turn in range(8):
        (run,) = await world.trigger(job)
        one, two = await world.crowd(2)
        acts = [one.cancel(run), two.claim()]
        await asyncio.gather(*(acts if turn % 2 else reversed(acts)))
        found = await world.find(run)
        seen.add(found.status)
        if found.status == RunStatus.RUNNING:
            assert found.cancel_requested_at is not None, "a cancel that came too late is at least asked for"
            (row,) = await world.live()
            assert row["token"] is not None
            await world.cancel(run)
            await world.execute("DELETE FROM runs")
        else:
            assert found.status == RunStatus.CANCELLED
            assert found.attempt == 0, "nobody works on it"
            assert await world.live() == []
    assert seen <= {"running", "cancelled"}


@pytest.mark.parametrize("outcome", [SUCCEEDED, FAILED])
async def test_cancel_and_finish_at_once_agree(world: World, outcome: Outcome) -> None:
    job = await world.job(retry={"max_attempts": 1})
    for turn in range(6):
        run = await world.running(job)
        one, two = await world.crowd(2)
        acts = [one.cancel(run), two.finish(run, outcome=outcome)]
        await asyncio.gather(*(acts if turn % 2 else reversed(acts)))
        assert (await world.find(run)).status in (("succeeded",) if outcome is SUCCEEDED else ("failed", "cancelled"))
    assert await world.live() == []
    assert len(await world.history()) == 6
    totals = await world.totals()
    assert sum(totals[status] for status in ("succeeded", "failed", "cancelled")) == 6
    assert len(await world.rows("SELECT run_id FROM dead_letters")) == totals["failed"]


async def test_cancels_at_once_end_a_run_once(world: World) -> None:
    runs = await world.trigger(await world.job(), 10)
    crowd = await world.crowd(4)
    await asyncio.gather(*(one.cancel(*runs) for one in crowd))
    assert len(await world.history(status="cancelled")) == 10
    assert (await world.totals())["cancelled"] == 10
