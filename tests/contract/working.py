"""The real worker in the test's own process, on its world's database. Wake-ups come from the test; polls and heartbeats
are so rare that only the cost of runs is visible."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from horae.controllers.stored import StoreController
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.ports import Controller
from horae.processes.settings import WorkerSettings
from horae.processes.worker import Worker
from tests.contract.world import OFFERS, World, worker_sign

_SELDOM = 3600.0


class Prompt:
    """An executor that is done at once."""

    def offers(self) -> Iterable[str]:
        return OFFERS

    async def execute(self, attempt: Attempt) -> Outcome:
        return SUCCEEDED

    async def close(self) -> None:
        pass


@asynccontextmanager
async def working(world: World, executor: Any = None, **settings: Any) -> AsyncIterator[Worker]:
    how = {"slots": 4, "poll": _SELDOM, "poll_max": _SELDOM, "lease": 2 * _SELDOM, "heartbeat": _SELDOM, **settings}

    async def beside() -> Controller:
        return StoreController(world.store.beside(connections=1), world.ids.chance)

    worker = Worker(
        worker_sign(offers=OFFERS, slots=how["slots"]),
        StoreController(world.store, world.ids.chance),
        {"python": executor or Prompt()},
        WorkerSettings(**how),
        clock=world.clock,
        ids=world.ids,
        open_controller=beside,
        hints_arrive=lambda: True,
    )
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop, asyncio.Event()))
    try:
        yield worker
    finally:
        stop.set()
        await task
