"""The duty `publish`: what of carried queues is due and not on the broker is published, and what stays queued is
published again; on every database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.domain.errors import BrokerUnavailable
from horae.domain.runs.claim import Claimant
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.engine_choice import CurrentEngines, EngineChoice
from horae.domain.runs.publication import FEW, Republishing
from horae.lifecycle import queues
from horae.processes.duties import publish
from horae.processes.duties.duty import Post
from horae.processes.duties.publish import PublishDuty
from horae.processes.settings import SchedulerSettings
from tests.contract.world import FAILED, IDS, OFFERS, World, scheduler_sign

CHOICE = CurrentEngines(EngineChoice("database", {"mail": "celery"}))


class Broker:
    """Keeps what is published, unless it is away."""

    def __init__(self) -> None:
        self.got: list[Claimable] = []
        self.away = False
        self.depth = 0

    async def publish(self, runs: Sequence[Claimable], *, again: bool = False) -> None:
        if self.away:
            raise BrokerUnavailable
        self.got += runs

    async def depths(self, queues: Collection[str]) -> Mapping[str, int]:
        return dict.fromkeys(queues, self.depth)

    def took(self) -> list[str]:
        ids, self.got = [run.id for run in self.got], []
        return ids


class Hand:
    """A clock that is moved by hand."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        raise AssertionError("the database's clock counts")


def duty_of(world: World, broker: Broker, clock: Hand, engines: CurrentEngines = CHOICE) -> PublishDuty:
    settings = SchedulerSettings(engines=engines, publisher=broker, republishing=Republishing(after=60, settling=2))
    post = Post(
        *(scheduler_sign(), world.store, settings, 64, clock, world.ids),
        *(lambda: False, lambda host, other: False),
        shards=[0],
    )
    return PublishDuty(post)


async def step(duty: PublishDuty) -> None:
    while await duty.step() == 0:
        pass


async def published(world: World, *, later: float = 0, broker: Broker | None = None) -> list[str]:
    """What a scheduler publishes that starts so many seconds later, when nothing is in its memory."""
    broker = broker or Broker()
    await step(duty_of(await world.later(seconds=later) if later else world, broker, Hand()))
    return broker.took()


async def test_what_was_not_published_is_published_once(world: World) -> None:
    mail, other = await world.job(queue="mail", priority=7), await world.job(queue="default")
    first, second = await world.trigger(mail, 2)
    await world.trigger(other)
    assert await published(world) == []  # the process that queued them has a moment
    assert sorted(await published(world, later=3)) == sorted([first.id, second.id])
    assert await published(world, later=4) == []
    assert await published(world, later=30) == []
    assert sorted(await published(world, later=65)) == sorted([first.id, second.id])


async def test_a_scheduler_looks_again_at_what_was_just_queued(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    broker, clock = Broker(), Hand()
    duty = duty_of(world, broker, clock)
    await step(duty)
    clock.seconds = 1.0
    await step(duty)
    assert broker.took() == []
    clock.seconds = 2.5
    await step(duty)
    assert broker.took() == [run.id]
    clock.seconds = 5.0
    await step(duty)
    assert broker.took() == []


async def test_a_retry_is_published_when_it_is_due_again(world: World) -> None:
    job = await world.job(queue="mail", retry={"max_attempts": 3, "delay": 20, "jitter": 0})
    (run,) = await world.trigger(job)
    assert await published(world, later=3) == [run.id]
    (claimed,) = await world.claim(run_ids=[run.id], queues=None)
    await world.finish(claimed, outcome=FAILED)
    assert await published(world, later=10) == []
    assert await published(world, later=30) == [run.id]


async def test_what_runs_or_waits_or_is_paused_is_not_published(world: World) -> None:
    job = await world.job(queue="mail", max_instances=1)
    first, _ = await world.trigger(job, 2)  # the second is held
    await world.claim(run_ids=[first.id], queues=None)
    assert await published(world, later=5) == []
    (third,) = await world.trigger(await world.job(queue="mail"))
    await world.store.transact(queues.pause_queue, project_id=world.project, name="mail", actor="a")
    assert await published(world, later=5) == []
    await world.store.transact(queues.resume_queue, project_id=world.project, name="mail", actor="a")
    assert await published(world, later=5) == [third.id]


async def test_while_the_broker_is_away_nothing_counts_as_published(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    broker = Broker()
    broker.away = True
    duty = duty_of(await world.later(seconds=5), broker, Hand())
    for _ in range(2):
        with pytest.raises(BrokerUnavailable):
            await duty.step()
    broker.away = False
    await step(duty)
    assert broker.took() == [run.id]


async def test_a_backlog_is_not_published_again_and_again(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    assert await published(world, later=3) == [run.id]
    busy = Broker()
    busy.depth = FEW
    assert await published(world, later=120, broker=busy) == []
    assert await published(world, later=3700, broker=busy) == [run.id]


async def test_portions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horae.processes.duties.publish._PORTION", 7)
    jobs = [await world.job(queue="mail", priority=priority) for priority in (1, 5, 9)]
    runs = [run.id for job in jobs for run in await world.trigger(job, 20)]
    assert sorted(await published(world, later=3)) == sorted(runs)


async def test_withdrawn_runs_are_published_again_at_once(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="mail"))
    assert await published(world, later=3) == [run.id]
    await world.store.transact(lambda tx: tx.publications.withdraw([run.id, "no id"]))
    assert await published(world, later=4) == [run.id]


async def test_why_a_run_could_not_be_claimed(world: World) -> None:
    open_run, other = await world.trigger(await world.job(queue="mail"), 2)
    (script,) = await world.trigger(await world.job(queue="mail", target={"kind": "script", "source": "true"}))
    await world.claim(run_ids=[other.id], queues=None)
    asked = [open_run.id, other.id, script.id, IDS.new(), "no id"]

    async def ask(tx: Any) -> Any:
        return await tx.publications.unclaimed(asked, Claimant(IDS.new(), OFFERS))

    found = await world.store.read(ask)
    assert (list(found.busy), list(found.waiting)) == ([open_run.id], [script.id])


async def test_a_run_for_later_is_published_when_it_is_due_not_earlier(world: World) -> None:
    job = await world.job(queue="mail")
    (soon,) = await world.trigger(job, run_at=await world.now() + timedelta(seconds=2))
    await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    broker, clock = Broker(), Hand()
    duty = duty_of(world, broker, clock)
    await step(duty)
    assert broker.took() == []
    clock.seconds, duty.post.store = 2.1, (await world.later(seconds=2.1)).store
    await step(duty)
    assert broker.took() == [soon.id]


@pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_a_walk_that_takes_long_is_not_stopped_by_what_it_published(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own messages are not a long queue that the rest waits behind."""
    monkeypatch.setattr(publish, "_PORTION", 2)
    runs = await world.trigger(await world.job(queue="mail"), 7)
    clock, broker = Hand(), Broker()
    await step(duty_of(await world.later(seconds=3), broker, clock))
    assert len(broker.took()) == 7

    class Slow(Broker):
        async def publish(self, runs: Sequence[Claimable], *, again: bool = False) -> None:
            await super().publish(runs, again=again)
            clock.seconds += 30
            self.depth = FEW

    slow = Slow()
    await step(duty_of(await world.later(minutes=5), slow, clock))
    assert sorted(slow.took()) == sorted(run.id for run in runs)


async def test_a_queue_that_moves_to_the_broker_is_published_and_back_is_left(world: World) -> None:
    (run,) = await world.trigger(await world.job(queue="other"))
    moving, broker = CurrentEngines(EngineChoice(has_broker=True)), Broker()
    duty = duty_of(await world.later(seconds=3), broker, Hand(), moving)
    await step(duty)
    assert broker.took() == []
    await choose(world, "celery")
    await step(duty)
    assert broker.took() == [run.id]
    await choose(world, None)
    duty.on_hint()
    (second,) = await world.trigger(await world.job(queue="other"))
    duty.post.store = (await world.later(seconds=100)).store
    await step(duty)
    assert broker.took() == []
    await choose(world, "celery")
    await step(duty)
    assert sorted(broker.took()) == sorted([run.id, second.id])


async def choose(world: World, engine: str | None) -> None:
    await world.store.transact(queues.choose_engine, project_id=world.project, name="other", engine=engine, actor="a")
