"""A world in which a broker carries the runs of some queues, or of all."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace

from horae.domain.runs.engine_choice import CELERY, DATABASE, CurrentEngines, EngineChoice
from horae.domain.runs.publication import Republishing
from horae.engines.celery_broker import Broker
from horae.engines.celery_engine import CeleryEngine
from horae.engines.database import DatabaseEngine
from horae.lifecycle.queues import chosen_engines
from horae.ports import Engine, Transaction
from horae.processes.settings import SchedulerSettings, WorkerSettings
from tests.simulation.broker import SimulatedBroker, SimulatedMessages, SimulatedPublisher
from tests.simulation.process import NamingStore, Process
from tests.simulation.settings import Settings
from tests.simulation.world import World

_NOWHERE = Broker("redis://127.0.0.1:1")  # no one connects to it
_CHOICES = (
    EngineChoice(CELERY),
    EngineChoice(DATABASE, {"default": CELERY}, has_broker=True),
    EngineChoice(CELERY, {"default": DATABASE}, has_broker=True),
)


class Carried(World):
    def __init__(self, seed: str, path: str, *, keep: Collection[str] | None = None) -> None:
        settings = Settings.of(seed)
        self.choice = random.Random(f"{seed}/engines").choice(_CHOICES)
        if self.choice.has_broker:  # someone for each engine: people choose another one now and then
            settings = replace(settings, workers=max(settings.workers, 2))
            self.wishes = ("choose_engine",) * 3
        super().__init__(seed, path, keep=keep, settings=settings)
        self.broker = SimulatedBroker(self)

    def populate(self) -> None:
        super().populate()
        self.loop.begin(self.broker.actor, self.broker.live())

    def engine(self, process: Process, store: NamingStore) -> Engine:
        async def confirm(run_ids: Collection[str]) -> None:
            await store.transact(confirm_publication, run_ids)

        async def chosen() -> Mapping[str, str]:
            return await store.read(chosen_engines)

        database, engines = DatabaseEngine(process.send), CurrentEngines(self.choice)
        made = CeleryEngine(_NOWHERE, engines, process.clock, database, confirm, process.send, chosen)
        made._publisher = SimulatedPublisher(self.broker, process, made._on_confirmed)  # type: ignore[assignment]
        return made

    def scheduler_settings(self, store: NamingStore) -> SchedulerSettings:
        assert isinstance(store.engine, CeleryEngine)
        republishing = Republishing(after=8.0, settling=2.0)
        return replace(
            self.settings.scheduler, engines=store.engine.engines, publisher=store.engine, republishing=republishing
        )

    def worker_settings(self, process: Process, store: NamingStore) -> WorkerSettings:
        """Where both engines are in use, every other worker claims from the database."""
        assert isinstance(store.engine, CeleryEngine)
        settings = replace(self.settings.worker, engines=store.engine.engines)
        if self.choice.has_broker and process.place % 2:
            return settings
        return replace(settings, messages=SimulatedMessages(self.broker, process))


async def confirm_publication(tx: Transaction, run_ids: Collection[str]) -> None:
    await tx.publications.confirm(run_ids)
