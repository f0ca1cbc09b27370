"""A scheduler: performs a few duties, each in its own loop (`processes/duties/`), until it is asked to stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.cluster.process import SchedulerSign
from horae.domain.cluster.readiness import STARTING, Readiness
from horae.domain.cluster.trouble import trouble_task
from horae.ports import Clock, Hint, Ids, Notifier, Store, Transaction
from horae.processes.duties import DUTIES, Duty, Post
from horae.processes.duties.deliver import DeliverDuty
from horae.processes.duties.events import EventsDuty
from horae.processes.duties.shards import ShardsDuty
from horae.processes.host import surely_dead
from horae.processes.loop import log, measure, patiently, troubled
from horae.processes.neighbours import IsDead
from horae.processes.settings import SchedulerSettings


class Scheduler:
    """What it asks its machine, and its duties, are class attributes: a simulation has its own."""

    surely_dead: ClassVar[IsDead] = surely_dead
    duties: ClassVar[Sequence[type[Duty]]] = DUTIES

    def __init__(
        self,
        sign: SchedulerSign,
        store: Store,
        settings: SchedulerSettings,
        *,
        shard_count: int,
        clock: Clock,
        ids: Ids,
        hints_arrive: Callable[[], bool],
        notifier: Notifier | None = None,
    ) -> None:
        self._post = Post(
            sign, store, settings, shard_count, clock, ids, hints_arrive, type(self).surely_dead, notifier=notifier
        )
        self._duties = [duty(self._post) for duty in type(self).duties]
        self._loops = [duty.loop for duty in self._duties]
        others = [duty.loop for duty in self._duties if not isinstance(duty, ShardsDuty)]  # which reports it
        self.hints_trouble: Callable[[], str | None] = lambda: None  # why hints do not arrive: reported, not fatal
        self._post.trouble = lambda: troubled(others) or self.hints_trouble()
        self._post.found = self._found
        self._registered = False
        self.meters = Meters()
        measure(self._loops, self.meters)
        self.meters.level(metrics.OWN_SHARDS, lambda: len(self._post.shards))
        for duty in self._duties:
            if isinstance(duty, DeliverDuty):
                self._counts(metrics.DELIVERIES, duty.delivered)
            elif isinstance(duty, EventsDuty):
                self._counts(metrics.EVENTS, duty.emitted)

    def _counts(self, family: metrics.Family, counts: Counter[tuple[str, str]]) -> None:
        self.meters.gauge(family, lambda: {labels: float(count) for labels, count in counts.items()})

    def readiness(self) -> Readiness:
        """Whether it fires what is due in its shards."""
        if not self._registered:
            return STARTING
        troubles = [loop.trouble for loop in self._loops]
        return Readiness(tuple(f"it keeps failing to {trouble_task(text)}" for text in troubles if text is not None))

    async def run(self, stop: asyncio.Event) -> None:
        sign, store = self._post.sign, self._post.store
        await patiently(lambda: store.transact(lambda tx: tx.processes.register_scheduler(sign)), stop)
        self._registered = not stop.is_set()
        log.info("scheduler ready", scheduler=sign.id)
        tasks = [asyncio.create_task(loop.run()) for loop in self._loops]
        await stop.wait()
        for loop in self._loops:
            loop.stop()
        await asyncio.gather(*tasks)
        for duty in self._duties:
            await duty.close()
        try:
            await store.transact(_leave, sign.id)
        except Exception as error:
            log.warning("could not release the shards; they become free when their leases expire", reason=str(error))

    def _found(self, chores: Collection[str]) -> None:
        for duty in self._duties:
            if not duty.chores.isdisjoint(chores):
                duty.on_hint()

    def on_hint(self, hint: Hint) -> None:
        topic = hint.partition(":")[0]
        for duty in self._duties:
            if topic in duty.topics:
                duty.on_hint()


async def _leave(tx: Transaction, scheduler_id: str) -> None:
    await tx.processes.forget_scheduler(scheduler_id)
    tx.hint("shards")
