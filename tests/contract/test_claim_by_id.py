"""Claim by run ids, as a message of an engine names them: the same rules as for lanes, for exactly these runs."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from horae.domain.runs.claim import Claimant, Claimed, ClaimRequest
from horae.lifecycle import queues
from tests.contract.kinds import on_servers
from tests.contract.test_reservations import other, reserve
from tests.contract.world import FAILED, IDS, OFFERS, World, ids

__all__ = ["other"]  # a fixture

SCRIPT = {"kind": "script", "source": "true"}


async def take(world: World, *runs: Any, **how: Any) -> list[Claimed]:
    named = [run if isinstance(run, str) else run.id for run in runs]
    return await world.claim(run_ids=named, **{"queues": None, **how})


async def left_alone(world: World, *runs: Any, **how: Any) -> bool:
    """Whether a claim of these gets nothing and changes nothing."""
    before = await world.live()
    return await take(world, *runs, **how) == [] and await world.live() == before


async def test_exactly_the_named_runs_are_claimed(world: World) -> None:
    job = await world.job(priority=1)
    one, _, three = await world.trigger(job, 3)
    await world.trigger(await world.job(priority=9))
    worker, token = IDS.new(), IDS.new()
    runs = await take(world, three, one, worker=worker, token=token, lease=20)
    assert ids(runs) == {one.id, three.id}
    assert {(run.attempt, run.token, run.ahead) for run in runs} == {(1, token, False)}
    rows = [row for row in await world.live() if row["status"] == "running"]
    assert {row["id"] for row in rows} == ids(runs)
    assert {(row["worker_id"], row["token"], row["attempt"]) for row in rows} == {(worker, token, 1)}
    for row in rows:
        assert row["lease_until"] - row["started_at"] == pytest.approx(timedelta(seconds=20), abs=timedelta(seconds=1))
    await world.finish(*runs)
    assert {run.status for run in [await world.find(run) for run in runs]} == {"succeeded"}


async def test_the_limit_keeps_the_most_urgent(world: World) -> None:
    job = await world.job()
    runs = {priority: (await world.trigger(job, priority=priority))[0] for priority in (3, 9, 0, 5)}
    assert ids(await take(world, *runs.values(), limit=2)) == {runs[9].id, runs[5].id}
    assert await left_alone(world, *runs.values(), limit=0)
    assert ids(await take(world, *runs.values())) == {runs[3].id, runs[0].id}


async def test_what_does_not_fit_into_the_slots_is_claimed_ahead_if_it_may_wait(world: World) -> None:
    (again,) = await world.trigger(await world.job(retry={"max_attempts": 3, "delay": 0, "jitter": 0}, priority=1))
    await world.finish(*await take(world, again), outcome=FAILED)
    (soon,) = await world.trigger(await world.job(start_within=3600, priority=2))
    first, *free = await world.trigger(await world.job(priority=9), 4)
    later = await world.later(seconds=1)
    taken = await take(later, again, soon, first, *free, limit=1, ahead=10)
    assert [(run.id, run.ahead) for run in taken] == [(first.id, False), *((run.id, True) for run in free)]
    assert ids(await take(later, again, soon, limit=2, ahead=1)) == {again.id, soon.id}


@pytest.mark.parametrize("workers", [2, 8])
async def test_workers_at_once_never_share_a_run(world: World, workers: int) -> None:
    runs = await world.trigger(await world.job(), 20)
    crowd = await world.crowd(workers)
    taken = [run.id for part in await asyncio.gather(*(take(one, *runs) for one in crowd)) for run in part]
    taken += [run.id for run in await take(world, *runs)]  # what two had locked at once may be left
    assert sorted(taken) == sorted(run.id for run in runs)
    assert {row["attempt"] for row in await world.live()} == {1}


async def test_a_claim_by_id_and_one_by_lanes_at_once_agree(world: World) -> None:
    runs = await world.trigger(await world.job(), 20)
    one, two = await world.crowd(2)
    parts = await asyncio.gather(take(one, *runs), two.claim())
    taken = [run.id for part in (*parts, await take(world, *runs)) for run in part]
    assert sorted(taken) == sorted(run.id for run in runs)


@on_servers
async def test_a_run_locked_by_another_transaction_is_skipped(world: World) -> None:
    first, second = await world.trigger(await world.job(), 2)
    async with world.holding("SELECT id FROM runs WHERE id = :id FOR UPDATE", id=first.id):
        assert ids(await take(world, first, second)) == {second.id}
    assert ids(await take(world, first, second)) == {first.id}


async def test_what_is_not_due_is_left_alone(world: World) -> None:
    (run,) = await world.trigger(await world.job(), run_at=await world.now() + timedelta(hours=1))
    assert await left_alone(world, run)
    assert ids(await take(await world.later(hours=1, seconds=1), run)) == {run.id}


async def test_a_retry_is_claimed_when_it_is_due_with_the_next_attempt(world: World) -> None:
    (run,) = await world.trigger(await world.job(retry={"max_attempts": 3, "delay": 60}))
    await world.finish(*await take(world, run), outcome=FAILED)
    assert await left_alone(world, run)
    (again,) = await take(await world.later(minutes=5), run)
    assert (again.id, again.attempt) == (run.id, 2)


async def test_a_held_run_is_left_alone(world: World) -> None:
    first, held = await world.trigger(await world.job(max_instances=1), 2)
    assert await left_alone(world, held)
    await world.finish(*await take(world, first))
    assert ids(await take(world, held)) == {held.id}


async def test_a_paused_queue_is_left_alone(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    switch = {"project_id": world.project, "name": "mail", "actor": "admin"}
    await world.store.transact(queues.pause_queue, **switch)
    assert await left_alone(world, run)
    await world.store.transact(queues.resume_queue, **switch)
    assert ids(await take(world, run)) == {run.id}


async def test_a_foreign_queue_is_left_alone(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    assert await left_alone(world, run, queues=("default", "other"))
    assert await left_alone(world, run, queues=())
    assert ids(await take(world, run, queues=("default", "mail"))) == {run.id}


async def test_what_needs_another_worker_is_left_alone(world: World) -> None:
    (run,) = await world.trigger(await world.job(target=SCRIPT))
    assert await left_alone(world, run, offers=OFFERS)
    assert await left_alone(world, run, offers=())
    assert ids(await take(world, run, offers=("script", *OFFERS))) == {run.id}


async def test_a_bound_worker_leaves_other_projects_and_open_queues_alone(world: World, other: World) -> None:
    await reserve(world, "vault", "default")
    await reserve(world, "shared", "default", "other")
    (mine,) = await world.trigger(await world.job(queue="vault", manual=True))
    (public,) = await world.trigger(await world.job(manual=True))
    (theirs,) = await other.trigger(await other.job(queue="shared", manual=True))
    bound = {"project_ids": [world.project]}
    assert await left_alone(world, public, theirs, **bound)
    assert await left_alone(world, mine, queues=("shared",), **bound)
    assert ids(await take(world, mine, public, theirs, **bound)) == {mine.id}
    assert ids(await take(world, public, theirs)) == {public.id, theirs.id}


async def test_what_runs_or_has_ended_is_left_alone(world: World) -> None:
    running, ended = await world.trigger(await world.job(), 2)
    await world.finish(*await take(world, ended))
    (held,) = await take(world, running)
    assert await left_alone(world, running, ended)
    await world.finish(held)
    assert await left_alone(world, running, ended)


@pytest.mark.parametrize("unknown", ["", "nonsense", "00000000-0000-7000-8000-000000000000", "'; --", "é", "\x00"])
async def test_unknown_ids_are_harmless(world: World, unknown: str) -> None:
    (run,) = await world.trigger(await world.job())
    assert await left_alone(world, unknown)
    assert ids(await take(world, unknown, run, run)) == {run.id}


async def test_no_ids_claim_nothing(world: World) -> None:
    await world.trigger(await world.job())
    assert await left_alone(world)


async def test_a_claim_whose_answer_was_lost_is_found_again(world: World) -> None:
    runs = await world.trigger(await world.job(), 5)
    taken = await take(world, *runs[:3], reply_lost=True)
    assert ids(taken) == {run.id for run in runs[:3]}
    assert {run.attempt for run in taken} == {1}


def test_a_claim_names_queues_or_ids() -> None:
    with pytest.raises(ValueError, match="queues or run ids"):
        ClaimRequest(Claimant(IDS.new(), OFFERS), IDS.new(), lease=15, limit=1, queues=None)
