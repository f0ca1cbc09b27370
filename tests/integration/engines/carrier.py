"""A world of the contract tests whose runs reach workers by messages only: published after the commit or by the duty
`publish`, over a real broker, received by the consumer of a worker, and claimed by id."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from horae.clock import SystemClock
from horae.domain.runs.claim import Claimant
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.engine_choice import CELERY, CurrentEngines, EngineChoice
from horae.domain.runs.publication import Republishing, Unclaimed
from horae.engines.celery_broker import Broker
from horae.engines.celery_channels import Channel, open_channel
from horae.engines.celery_engine import CeleryEngine
from horae.engines.celery_publisher import PublisherThread
from horae.engines.database import DatabaseEngine
from horae.ports import Messages, RunMessage, Transaction
from horae.processes.duties.duty import Post
from horae.processes.duties.publish import PublishDuty
from horae.processes.settings import SchedulerSettings
from tests.contract.values import IDS, OFFERS, scheduler_sign
from tests.contract.workers import Claims
from tests.contract.world import World
from tests.waiting import until

_MANY = 1_000  # messages


class Carrier:
    """The publisher of all processes and the consumer of all workers, at one broker."""

    def __init__(self, broker: Broker, consumer: Messages) -> None:
        self.broker, self.consumer = broker, consumer
        self.publisher = PublisherThread(broker, lambda run_ids: None)
        self._queues: dict[str, str] = {}  # of the runs that were published
        self._under_way: dict[str, None] = {}  # runs whose message was sent and has not arrived
        self._arrived: dict[str, list[RunMessage]] = {}  # by run, not acknowledged yet
        self._turn = asyncio.Lock()
        consumer.start(lambda: None)

    def open_channel(self, broker: Broker, connection: Any) -> Channel:
        """One that notes what the broker has confirmed."""
        channel = open_channel(broker, connection)
        publish = channel.publish

        def noted(runs: Sequence[Claimable]) -> None:
            self._queues |= {run.id: run.queue for run in runs}
            self._under_way |= dict.fromkeys(run.id for run in runs)
            publish(runs)

        channel.publish = noted  # type: ignore[method-assign]
        return channel

    async def receive(self, queues: Sequence[str] | None) -> list[str]:
        """The runs that messages in these queues, or in all of them, name. One worker at a time."""
        async with self._turn:
            return await self._received(queues)

    async def _received(self, queues: Sequence[str] | None) -> list[str]:
        served = set(self._queues.values()) if queues is None else set(queues)
        self.consumer.serve(served)
        self.consumer.want(_MANY)
        await until(lambda: self._all_arrived(served), message="all messages arrive", every=0.002)
        self.consumer.want(0)
        return [run_id for run_id in self._arrived if self._queues[run_id] in served]

    def _all_arrived(self, served: Collection[str]) -> bool:
        for message in self.consumer.take(_MANY):
            self._arrived.setdefault(message.run_id, []).append(message)
            self._under_way.pop(message.run_id, None)
        return not any(self._queues[run_id] in served for run_id in self._under_way)

    def done(self, run_ids: Collection[str]) -> None:
        self.consumer.done([message for run_id in run_ids for message in self._arrived.pop(run_id, ())])

    @property
    def queues(self) -> set[str]:
        return set(self._queues.values())


class Shifted:
    """A clock that is ahead."""

    def __init__(self, shift: float) -> None:
        self._clock, self._shift = SystemClock(), timedelta(seconds=shift)

    def now(self) -> datetime:
        return self._clock.now() + self._shift

    def monotonic(self) -> float:
        return self._clock.monotonic()


class CarriedWorld(World):
    carrier: ClassVar[Carrier]

    @classmethod
    async def open(cls, url: str, stack: AsyncExitStack, *, shift: float = 0, **how: Any) -> Self:
        world = await super().open(url, stack, shift=shift, **how)

        async def send(hints: object) -> None:
            """No process listens."""

        async def confirm(run_ids: object) -> None:
            """The duty does."""

        async def chosen() -> dict[str, str]:
            return {}

        engines, database = CurrentEngines(EngineChoice(CELERY)), DatabaseEngine(send)
        engine = CeleryEngine(cls.carrier.broker, engines, Shifted(shift), database, confirm, send, chosen)
        engine._publisher = cls.carrier.publisher
        world.store.engine = engine
        return world

    async def claims(
        self,
        limit: int = 100,
        *,
        queues: Sequence[str] | None = ("default",),
        offers: Collection[str] = OFFERS,
        again: bool = False,
        run_ids: Collection[str] | None = None,
        **how: Any,
    ) -> Claims:
        if again or run_ids is not None:
            return await super().claims(limit, queues=queues, offers=offers, again=again, run_ids=run_ids, **how)
        await self._publish()
        named = await self.carrier.receive(queues)
        found = await super().claims(limit, queues=queues, offers=offers, run_ids=named, **how)
        claimed = {run.id for run in found.runs}
        rest = [run_id for run_id in named if run_id not in claimed]
        claimant = Claimant(IDS.new(), offers, how.get("project_ids", ()))
        left = await self.store.read(_unclaimed, rest, claimant)
        await self.store.transact(_withdraw, left.waiting)
        self.carrier.done([run_id for run_id in named if run_id not in left.busy])  # those wait for a free slot
        return found

    async def _publish(self) -> None:
        """What a scheduler does."""
        engine = self.store.engine
        assert isinstance(engine, CeleryEngine)
        await engine.depths(())  # what was offered before is on the broker now
        settings = SchedulerSettings(engines=engine.engines, publisher=engine, republishing=Republishing(settling=0))
        post = Post(
            *(scheduler_sign(), self.store, settings, 64, self.clock, self.ids),
            *(lambda: False, lambda host, other: False),
            shards=[0],
        )
        duty = PublishDuty(post)
        while await duty.step() == 0:
            pass


async def _unclaimed(tx: Transaction, run_ids: Collection[str], claimant: Claimant) -> Unclaimed:
    return await tx.publications.unclaimed(run_ids, claimant)


async def _withdraw(tx: Transaction, run_ids: Collection[str]) -> None:
    await tx.publications.withdraw(run_ids)
