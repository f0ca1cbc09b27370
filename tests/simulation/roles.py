"""What runs in a simulated process: the real scheduler, the real worker, or a server that does what people ask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from horae.controllers.stored import StoreController
from horae.domain.cluster.process import SchedulerSign, WorkerSign
from horae.domain.errors import StoreUnavailable
from horae.processes.blocked import Watcher
from horae.processes.heartbeat import Heartbeat, OpenHeartbeat
from horae.processes.scheduler import Scheduler
from horae.processes.worker import Worker
from tests.simulation.work import SimulatedExecutor

if TYPE_CHECKING:
    from tests.simulation.process import Process


class NoWatcher(Watcher):
    """There is no thread, and no loop that could be blocked."""

    def start(self) -> None:
        pass


class SimulatedHeart:
    """The real heartbeat, as another thread of the same process."""

    def __init__(self, process: Process, open_heartbeat: OpenHeartbeat) -> None:
        self._process, self._open = process, open_heartbeat
        self._heartbeat: Heartbeat | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        ready = asyncio.get_running_loop().create_future()
        self._task = self._process.world.loop.spawn(self._process.heart, self._run(ready))
        await ready

    async def _run(self, ready: asyncio.Future[None]) -> None:
        try:
            self._heartbeat, controller = await self._open()
        except Exception as error:
            ready.set_exception(error)
            return
        ready.set_result(None)
        try:
            await self._heartbeat.run()
        finally:
            await controller.close()

    def leased(self, token: str, since: float) -> float:
        return self._heartbeat.leased(token, since) if self._heartbeat is not None else since

    @property
    def trouble(self) -> str | None:
        return None if self._heartbeat is None else self._heartbeat.beating.trouble

    def poke(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.beating.wake.set()

    async def stop(self) -> None:
        if self._heartbeat is not None and self._task is not None:
            self._heartbeat.stop()
            await asyncio.wait([self._task], timeout=5)


async def live_as_scheduler(process: Process) -> None:
    world, store = process.world, process.store(2)

    class Simulated(Scheduler):
        surely_dead = world.surely_dead  # type: ignore[assignment]
        duties = world.duties

    process.id = process.ids.new()
    scheduler = Simulated(
        SchedulerSign(process.id, process.host, "simulated"),
        store,
        world.scheduler_settings(store),
        shard_count=world.shard_count,
        clock=process.clock,
        ids=process.ids,
        hints_arrive=lambda: True,
    )
    process.on_hint = scheduler.on_hint  # type: ignore[method-assign]
    await scheduler.run(process.stop)


async def live_as_worker(process: Process) -> None:
    world, store = process.world, process.store(2)

    class Simulated(Worker):
        surely_dead = world.surely_dead  # type: ignore[assignment]
        watcher = NoWatcher  # type: ignore[assignment]

        @staticmethod
        def heart(open_heartbeat: OpenHeartbeat) -> SimulatedHeart:  # type: ignore[override]
            return SimulatedHeart(process, open_heartbeat)

    async def beside() -> StoreController:
        return StoreController(process.store(1), process.ids.chance)

    process.id = process.ids.new()
    settings = world.worker_settings(process, store)
    worker = Simulated(
        WorkerSign(process.id, process.name, process.host, "simulated", (), ("python:work",), settings.slots),
        StoreController(store, process.ids.chance),
        {"python": SimulatedExecutor(process)},
        settings,
        clock=process.clock,
        ids=process.ids,
        open_controller=beside,
        hints_arrive=lambda: True,
    )
    process.on_hint = worker.on_hint  # type: ignore[method-assign]
    await worker.run(process.stop, process.stop_now)


async def live_as_server(process: Process) -> None:
    process.id = process.ids.new()
    process.serving = process.store(2)
    await process.stop.wait()


LIVES: dict[str, Any] = {"scheduler": live_as_scheduler, "worker": live_as_worker, "serve": live_as_server}


async def live(process: Process, role: str) -> None:
    """Until it ends: because it was asked to, or because there was no database when it began."""
    try:
        await LIVES[role](process)
        how = "ends as it was told"
    except StoreUnavailable as error:
        how = f"gives up: {error}"
    process.kill(how)
