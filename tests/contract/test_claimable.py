"""A run became claimable: whichever verb caused that, the engine is offered that run, once, after the commit."""

from datetime import timedelta

import pytest

from horae.domain.errors import Conflict
from horae.domain.runs.claimable import Claimable, Offer
from horae.lifecycle import queues
from horae.lifecycle.release import release
from horae.ports import Transaction
from tests.contract.world import FAILED, World


class Engine:
    """Keeps what it is offered until it is asked."""

    def __init__(self) -> None:
        self.runs: list[Claimable] = []
        self.queues: set[str] = set()

    async def offer(self, offer: Offer) -> None:
        self.runs += offer.runs
        self.queues |= offer.queues

    def offered(self) -> list[str]:
        """The ids since the last time."""
        ids, self.runs = [run.id for run in self.runs], []
        return ids


def engine_of(world: World) -> Engine:
    world.store.engine = engine = Engine()
    return engine


async def test_triggered_runs_are_offered(world: World) -> None:
    engine = engine_of(world)
    run, other = await world.trigger(await world.job(queue="mail", priority=7), 2)
    assert engine.runs == [Claimable(run.id, "mail", 7), Claimable(other.id, "mail", 7)]


async def test_fired_runs_are_offered(world: World) -> None:
    job = await world.job(every=60, queue="slow")
    later = await world.later(seconds=61)
    engine = engine_of(later)
    await later.fire()
    (row,) = await later.live(job)
    (offered,) = engine.runs
    assert offered[:3] == (row["id"], "slow", row["priority"])


async def test_a_held_run_is_offered_when_it_gets_its_place(world: World) -> None:
    engine = engine_of(world)
    job = await world.job(max_instances=1)
    first, second, third = await world.trigger(job, 3)
    assert engine.offered() == [first.id]
    await world.finish(*await world.claim())
    assert engine.offered() == [second.id]
    await world.edit(await world.look(job), max_instances=None)
    assert engine.offered() == [third.id]


async def test_one_that_was_asked_for_later_is_offered_at_its_time(world: World) -> None:
    engine = engine_of(world)
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    assert engine.offered() == []
    later = await world.later(hours=2)
    engine = engine_of(later)
    await later.fire()
    assert engine.offered() == [run.id]


async def test_retried_runs_are_offered(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 2, "delay": 0}, priority=3))
    engine = engine_of(world)
    await world.finish(run, outcome=FAILED)
    assert engine.runs == [Claimable(run.id, "default", 3)]


async def test_recovered_runs_are_offered(world: World) -> None:
    run = await world.running()
    later = await world.later(hours=1)
    engine = engine_of(later)
    await later.recover()
    assert engine.offered() == [run.id]


async def test_released_runs_are_offered(world: World) -> None:
    await world.trigger(await world.job(priority=8))
    (run,) = await world.claim()
    engine = engine_of(world)
    await world.store.transact(release, runs=[run])
    assert engine.runs == [Claimable(run.id, "default", 8)]


async def test_runs_of_following_jobs_are_offered(world: World) -> None:
    load = await world.job(name="load")
    report = await world.job(after={"job": "load", "on": "success"}, queue="reports")
    run = await world.running(load)
    engine = engine_of(world)
    await world.finish(run)
    (row,) = await world.live(report)
    assert [(one.id, one.queue) for one in engine.runs] == [(row["id"], "reports")]


async def test_backfilled_runs_are_offered(world: World) -> None:
    job = await world.job(cron="0 * * * *")
    assert job.anchor_at is not None
    engine = engine_of(world)
    hour = timedelta(hours=1)
    await world.backfill(job, job.anchor_at - 4 * hour, job.anchor_at - hour, parallelism=1)
    (row,) = await world.live(job)
    assert engine.offered() == [row["id"]]
    await world.finish(*await world.claim())
    (row,) = await world.live(job)
    assert engine.offered() == [row["id"]]


async def test_a_queue_that_is_resumed(world: World) -> None:
    await world.trigger(await world.job(queue="mail"))
    asked = {"project_id": world.project, "name": "mail", "actor": "test"}
    await world.store.transact(queues.pause_queue, **asked)
    engine = engine_of(world)
    await world.store.transact(queues.resume_queue, **asked)
    assert (engine.runs, engine.queues) == ([], {"mail"})


async def test_nothing_is_offered_after_a_rollback(world: World) -> None:
    engine = engine_of(world)
    job = await world.job()
    (run,) = await world.trigger(job)
    assert engine.offered() == [run.id]

    async def change_of_mind(tx: Transaction) -> None:
        await tx.runs.requeue([])
        await tx.queues.resume("default")
        raise Conflict("no")

    with pytest.raises(Conflict):
        await world.store.transact(change_of_mind)
    assert (engine.runs, engine.queues) == ([], set())
