"""Stranded runs, which no live worker can execute: found by requirement, counted by project, and cheap to query."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from horae.domain.runs.stranded import in_short, in_words
from horae.lifecycle.queues import pause_queue
from horae.lifecycle.stranded import StrandedRuns, find_stranded
from tests.contract.explaining import alive, beat
from tests.contract.world import IDS, World

CONTAINER: dict[str, Any] = {"target": {"kind": "container", "image": "busybox"}}


async def find(world: World) -> StrandedRuns:
    return await world.store.read(find_stranded, offline_after=180.0)


def told(found: StrandedRuns) -> list[tuple[str, str, int]]:
    return [(one.queue, one.needs, one.runs) for one in found.stranded]


async def test_runs_whose_needs_no_worker_offers_are_stranded(world: World) -> None:
    worker = await alive(world, queues=())
    await world.trigger(await world.job(**CONTAINER, queue="gpu"), 3)
    await world.trigger(await world.job(), 2)
    assert told(await find(world)) == [], "a worker may be about to start"
    later = await world.later(seconds=11)
    await beat(later, worker)
    found = await find(later)
    assert told(found) == [("gpu", "container", 3)]
    at = found.stranded[0].since + timedelta(seconds=11)
    assert found.at >= at
    assert in_words(found.stranded, at) == {
        ("gpu", "container"): "3 runs wait for what no live worker offers: container (queue gpu), for 11 s"
    }
    assert in_short(found.stranded, at) == "3 runs wait for what no live worker offers, for 11 s"
    await alive(later, name="big", offers=("container",), queues=("gpu",))
    assert told(await find(later)) == []


async def test_runs_in_a_queue_without_workers_are_stranded(world: World) -> None:
    await alive(world, queues=("default",))
    await world.trigger(await world.job(queue="mail"))
    later = await world.later(seconds=60)
    assert told(await find(later)) == [("mail", "python:work", 1)]
    await later.store.transact(pause_queue, project_id=world.project, name="mail", actor="admin")
    assert told(await find(later)) == [], "somebody wants it to wait"


async def test_without_any_worker_everything_is_stranded(world: World) -> None:
    worker = await alive(world)
    await world.trigger(await world.job())
    later = await world.later(seconds=60)
    assert told(await find(later)) == [], "one that has gone silent may come back"
    await beat(later, worker, status="draining")
    assert told(await find(later)) == [("default", "python:work", 1)]
    gone = await world.later(minutes=4)
    assert told(await find(gone)) == [("default", "python:work", 1)]


async def test_held_and_future_runs_are_not_stranded(world: World) -> None:
    await world.trigger(await world.job(max_instances=1), 5)
    await world.trigger(await world.job(queue="later"), run_at=await world.now() + timedelta(days=1))
    assert told(await find(await world.later(seconds=60))) == [("default", "python:work", 1)]


async def test_many_wants_of_many_queues(world: World) -> None:
    await alive(world, queues=("q3",))
    for number in range(7):
        await world.trigger(await world.job(queue=f"q{number}", priority=number), 2)
        await world.trigger(await world.job(queue=f"q{number}", **CONTAINER))
    found = told(await find(await world.later(seconds=60)))
    wanted = {(f"q{n}", "python:work", 2) for n in range(7) if n != 3} | {(f"q{n}", "container", 1) for n in range(7)}
    assert sorted(found) == sorted(wanted)


async def test_stranded_runs_are_counted_per_project(world: World) -> None:
    await world.trigger(await world.job(queue="gpu"), 3)
    stranger = IDS.new()
    (first, *_) = await world.live()
    await world.execute("UPDATE runs SET project_id = :stranger WHERE id = :id", stranger=stranger, id=first["id"])
    found = await find(await world.later(seconds=60))
    assert {(one.project_id, one.runs) for one in found.stranded} == {(world.project, 2), (stranger, 1)}
    assert in_short(found.stranded, found.at).startswith("3 runs wait")
