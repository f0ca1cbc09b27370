"""Runs that a worker claims ahead of its slots: which they are, that they are shown as such, and that a release undoes
the claim."""

from __future__ import annotations

from datetime import timedelta

import pytest

from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from tests.contract.workers import AHEAD_FOR
from tests.contract.world import CANCELLED, FAILED, IDS, SUCCEEDED, RunStatus, World, ids


def starts_later(runs: list[Claimed]) -> list[bool]:
    return [run.ahead for run in runs]


async def test_they_come_after_those_for_free_slots_and_in_the_order_of_the_queue(world: World) -> None:
    low, high = await world.job(priority=1), await world.job(priority=8)
    first = [run.id for run in await world.trigger(low, 3)]
    urgent = [run.id for run in await world.trigger(high, 2)]
    runs = await world.claim(1, ahead=3)
    assert [run.id for run in runs[:2]] == sorted(urgent)
    assert {run.id for run in runs[2:]} < set(first)
    assert starts_later(runs) == [False, True, True, True]
    assert {run.attempt for run in runs} == {1}
    assert len(await world.claim(ahead=5)) == 1


async def test_without_a_free_slot_all_of_them_are_ahead(world: World) -> None:
    await world.trigger(await world.job(), 2)
    assert starts_later(await world.claim(0, ahead=5)) == [True, True]


async def test_they_are_not_shown_as_started_until_they_must_have(world: World) -> None:
    await world.trigger(await world.job(), 2)
    now, ahead = await world.claim(1, ahead=1)
    shown = {run.id: run.started_at for run in [await world.find(now), await world.find(ahead)]}
    assert shown[now.id] == now.started_at
    assert shown[ahead.id] is None
    assert now.started_at == pytest.approx(ahead.started_at, abs=timedelta(seconds=1))
    later = await world.later(seconds=AHEAD_FOR + 1)
    assert (await later.find(ahead)).started_at == pytest.approx(
        ahead.started_at + timedelta(seconds=AHEAD_FOR), abs=timedelta(seconds=1)
    )


async def test_a_retry_and_what_must_start_soon_wait_for_a_slot(world: World) -> None:
    await world.trigger(await world.job(retry={"max_attempts": 3, "delay": 0, "jitter": 0}))
    await world.finish(*await world.claim(), outcome=FAILED)
    await world.trigger(await world.job(start_within=3600))
    (free,) = await world.trigger(await world.job())
    later = await world.later(seconds=1)
    claims = await later.claims(0, ahead=5)
    assert ids(claims.runs) == {free.id}
    assert claims.idle_for == 0, "there is more for whoever has a slot"
    assert len(await later.claim(2)) == 2


async def test_a_release_undoes_the_claim(world: World) -> None:
    job = await world.job()
    before = await world.trigger(job, 3)
    places = {row["id"]: (row["due_at"], row["attempt"], row["uncounted"]) for row in await world.live()}
    kept, *ahead = await world.claim(1, ahead=2)
    assert await world.release(*ahead) == 2
    waiting = {row["id"]: row for row in await world.live() if row["status"] == RunStatus.QUEUED}
    assert waiting.keys() == {run.id for run in ahead}
    for row in waiting.values():
        assert (row["due_at"], row["attempt"], row["uncounted"]) == places[row["id"]]
        assert [row[column] for column in ("worker_id", "token", "lease_until", "started_at")] == [None] * 4
    assert [run.id for run in await world.claim(3)] == sorted({run.id for run in before} - {kept.id})
    assert await world.rows("SELECT * FROM attempts") == []


async def test_a_release_is_fenced_and_may_be_repeated(world: World) -> None:
    await world.trigger(await world.job(), 2)
    first = await world.claim(0, ahead=2)
    assert await world.release(*first, reply_lost=True) == 0, "what it released before, and nobody heard, is released"
    second = await world.claim(0, ahead=2)
    assert {run.attempt for run in second} == {1}
    assert await world.release(*first) == 0
    assert {row["token"] for row in await world.live()} == {second[0].token}


async def test_what_was_to_be_cancelled_is_not_queued_again(world: World) -> None:
    await world.trigger(await world.job(), 2)
    one, other = await world.claim(0, ahead=2)
    await world.cancel(one)
    assert await world.release(one, other) == 1
    ended = await world.find(one)
    assert ended.status == RunStatus.CANCELLED
    assert ended.started_at
    assert ended.finished_at
    assert ended.started_at <= ended.finished_at
    assert (await world.find(other)).status == RunStatus.QUEUED


async def test_the_limit_of_their_job_holds(world: World) -> None:
    """It is lowered while two of its runs are claimed: what is released waits behind the others' place."""
    job = await world.job(max_instances=2)
    await world.trigger(job, 3)
    runs = await world.claim(1, ahead=1)
    await world.edit(job, max_instances=1)
    await world.release(runs[1])
    assert await world.claim() == []
    await world.finish(runs[0])
    assert len(await world.claim()) == 1


@pytest.mark.parametrize("outcome", [SUCCEEDED, FAILED, CANCELLED])
async def test_the_end_brings_the_real_start(world: World, outcome: Outcome) -> None:
    await world.trigger(await world.job(retry={"max_attempts": 1}), 2)
    _, ahead = await world.claim(1, ahead=1)
    begun = ahead._replace(started_at=ahead.started_at + timedelta(milliseconds=20))
    await world.finish(begun, outcome=outcome)
    assert (await world.find(ahead)).started_at == begun.started_at


async def test_prefetched_runs_of_a_dead_worker_are_lost(world: World) -> None:
    await world.trigger(await world.job(retry={"max_attempts": 2, "delay": 0}), 2)
    worker = IDS.new()
    await world.claim(1, ahead=1, worker=worker)
    await world.recover(dead=[worker])
    tried = await world.rows("SELECT started_at, finished_at, outcome FROM attempts")
    assert [row["outcome"] for row in tried] == ["lost", "lost"]
    assert all(row["started_at"] <= row["finished_at"] for row in tried)
    assert {run.attempt for run in await world.claim()} == {2}
