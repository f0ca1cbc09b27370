"""The outbox of events: written with what happened, in order, and only where someone wants it."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest

from horae.accounts import projects
from horae.domain.errors import Conflict
from horae.domain.people.project import Project
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.sinks.drafts import EventDraft
from horae.domain.text.ids import NIL
from horae.ports import Transaction
from tests.contract.cost import counted
from tests.contract.sinks import create_sink, outbox, take, types
from tests.contract.world import FAILED, World

CONCURRENT = pytest.mark.parametrize(
    "world",
    [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")],
    indirect=True,
)


async def test_a_run_from_its_queue_to_its_end(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    await create_sink(world)
    (run,) = await world.trigger(job)
    await world.finish(*await world.claim(worker=(worker := world.ids.new())), outcome=FAILED)
    await world.finish(*await world.claim())
    rows = await outbox(world)
    assert [row["type"] for row in rows] == [
        *("run.queued", "run.started", "run.retried"),
        *("run.started", "run.ended"),
    ]
    assert {(row["subject"], row["job_id"], row["project_id"]) for row in rows} == {(run.id, job.id, world.project)}
    assert len({row["event_id"] for row in rows}) == 5
    data = [json.loads(row["data"]) for row in rows]
    assert [one["status"] for one in data] == ["queued", "running", "queued", "running", "succeeded"]
    assert (data[0]["trigger"], data[1]["worker_id"], data[2]["outcome"]) == ("api", worker, "failed")
    assert [one.get("attempt") for one in data] == [None, 1, 1, 2, 2]


async def test_other_ways_of_a_run(world: World) -> None:
    job = await world.job()
    await create_sink(world, types=["run.*"])
    parked = await world.running(job)
    await world.finish(parked, outcome=Outcome(AttemptOutcome.PARKED, park_for=60.0))
    (ahead,) = await world.trigger(job)
    await world.release(*await world.claim(limit=0, ahead=1))
    await world.cancel(ahead)
    skipping = await world.job(every=3600, catch_up="none")
    await (await _knowing(world, hours=5)).fire()
    found = [(row["type"], row["job_id"]) for row in await outbox(world)]
    assert [kind for kind, job_id in found if job_id == job.id] == [
        *("run.queued", "run.started", "run.parked", "run.queued", "run.started", "run.released"),
        *("run.cancelling", "run.ended"),
    ]
    assert next(kind for kind, job_id in found if job_id == skipping.id) == "run.skipped"


async def _knowing(world: World, **later: float) -> World:
    """The same database later, in a process that knows the sinks."""
    moved = await world.later(**later)
    await moved.store.learn()
    return moved


async def test_what_happens_to_a_job(world: World) -> None:
    await create_sink(world, types=["job.*"])
    job = await world.job(every=3600)
    await world.edit(job, priority=7)
    await world.pause(job)
    await world.resume(job)
    await world.disable(job)
    await world.enable(job)
    await world.delete(job)
    rows = await outbox(world)
    assert [row["type"] for row in rows] == [
        *("job.created", "job.edited", "job.paused", "job.resumed", "job.disabled", "job.enabled", "job.deleted"),
    ]
    assert {row["subject"] for row in rows} == {job.id}
    assert {json.loads(row["data"])["job_name"] for row in rows} == {job.spec.name}


async def test_what_is_rolled_back_was_never_there(world: World) -> None:
    job = await world.job()
    await create_sink(world)

    async def regretted(tx: Transaction) -> None:
        await tx.audit.add("job.edit", actor="ann", project_id=world.project, id=job.id, name="a")
        raise Conflict("no")

    with pytest.raises(Conflict):
        await world.store.transact(regretted)
    assert await outbox(world) == []


async def test_only_wanted_types_and_only_for_the_own_project(world: World) -> None:
    job = await world.job()
    other = Project(world.ids.new(), "other", "Other")
    await world.store.transact(projects.create_project, project=other, actor="ann")
    ended = await create_sink(world, "ended", types=["run.ended"])
    foreign = await create_sink(world, "foreign", project_id=other.id)
    everything = await create_sink(world, "everything", project_id=NIL)
    await world.ended(job)
    assert await types(world, ended) == ["run.ended"]
    assert await types(world, foreign) == []
    assert await types(world, everything) == ["run.queued", "run.started", "run.ended"]
    own, whole = await outbox(world, ended), await outbox(world, everything)
    assert own[0]["event_id"] == whole[2]["event_id"]  # the same event for every sink


async def test_without_a_sink_it_costs_nothing(world: World) -> None:
    job = await world.job()
    observed, meter = await counted(world, 1)
    await observed.ended(job)  # which learns the job
    costs = []
    for prepare in (_nothing, _learn, _elsewhere, _learn):
        await prepare(observed)
        meter.round_trips.clear()
        await observed.ended(job)
        costs.append(list(meter.round_trips))
    assert len({len(sent) for sent in costs[:3]}) == 1, costs
    assert not [sql for sent in costs[:3] for sql in sent if "event_" in sql]
    written = [sql for sql in costs[3] if "event_" in sql]
    assert [sql.split()[:3] for sql in written] == [["INSERT", "INTO", "event_outbox"]] * 3
    # The trigger and the claim become transactions, in which the job is read.
    transactions = 5 if world.kind == "postgresql" else 0
    assert len(costs[3]) == len(costs[0]) + len(written) + transactions, costs


async def _nothing(world: World) -> None:
    pass


async def _learn(world: World) -> None:
    await world.store.learn()


async def _elsewhere(world: World) -> None:
    """A sink that this process has not learned of yet."""
    listeners = world.store._emitter.listeners
    await create_sink(world)
    world.store._emitter.listeners = listeners


async def test_many_at_once_are_in_order(world: World) -> None:
    job = await world.job()
    await create_sink(world)
    runs = await world.trigger(job, count=1_500)
    await world.finish(*await world.claim(limit=1_500))
    rows = await outbox(world)
    by_run: dict[str, list[str]] = {}
    for row in rows:
        by_run.setdefault(row["subject"], []).append(row["type"])
    assert set(by_run) == {run.id for run in runs}
    assert {tuple(kinds) for kinds in by_run.values()} == {("run.queued", "run.started", "run.ended")}
    queued = [row["subject"] for row in rows if row["type"] == "run.queued"]
    assert queued == [run.id for run in runs]


@CONCURRENT
async def test_what_becomes_visible_late_is_not_skipped(world: World) -> None:
    """A transaction that began earlier, and has the lower number, may commit later."""
    sink = await create_sink(world)
    written, released = asyncio.Event(), asyncio.Event()

    async def slowly(tx: Transaction) -> None:
        await tx.outbox.add([(sink.id, world.ids.new(), _draft(world, "slow"))])
        written.set()
        await released.wait()

    slow = asyncio.create_task(world.store.transact(slowly))
    await written.wait()
    await world.store.transact(lambda tx: tx.outbox.add([(sink.id, world.ids.new(), _draft(world, "quick"))]))
    (due,) = await take(world, lease=-1.0)
    assert [event.subject for event in due.events] == ["quick"]
    await world.store.transact(lambda tx: tx.outbox.delete([event.seq for event in due.events]))
    released.set()
    await slow
    (again,) = await take(world)
    assert [event.subject for event in again.events] == ["slow"]
    assert again.events[0].seq < due.events[0].seq


def _draft(world: World, subject: str) -> EventDraft:
    return EventDraft("run.ended", world.project, None, subject, {"at": timedelta(seconds=1).total_seconds()})
