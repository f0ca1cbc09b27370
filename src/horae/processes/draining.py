"""Graceful shutdown: a worker that takes no more runs. Runs that have not started are released, those in progress get
some time, and the rest is interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping

from horae.domain.errors import HoraeError
from horae.domain.runs.states import StopReason
from horae.ports import Executor
from horae.processes.loop import log
from horae.processes.settings import WorkerSettings
from horae.processes.slots import Slots
from horae.processes.starter import Starter


class Draining:
    def __init__(
        self, slots: Slots, starter: Starter, executors: Mapping[str, Executor], settings: WorkerSettings
    ) -> None:
        self._slots, self._starter, self._executors, self._settings = slots, starter, executors, settings

    async def drain(self, claiming: asyncio.Task[None], stop_now: asyncio.Event) -> None:
        """`claiming` ends on its own; `stop_now` cuts it short."""
        if len(self._slots):
            log.info("draining", runs=len(self._slots), seconds=self._settings.drain_timeout)
        await _first(self._drained(claiming), stop_now.wait(), timeout=self._settings.drain_timeout)
        await self._interrupt()

    async def release(self) -> None:
        try:
            await self._starter.release()
        except HoraeError as error:
            log.warning("could not release runs that were claimed ahead", reason=str(error))

    async def _drained(self, claiming: asyncio.Task[None]) -> None:
        """Nothing is in progress, and nothing will come: a pending claim has returned."""
        await asyncio.wait([claiming])
        await self.release()
        await self._slots.drained()

    async def _interrupt(self) -> None:
        if len(self._slots):
            log.warning("interrupting the remaining runs; they are queued again", runs=len(self._slots))
            self._slots.stop_all(StopReason.SHUTDOWN)
            await _first(self._slots.drained(), timeout=self._slots.longest_grace + 1)
        for executor in self._executors.values():
            await executor.close()  # abandons what could not be stopped: it ends with this process
        await _first(self._slots.drained(), timeout=1)


async def _first(*waits: Awaitable[object], timeout: float) -> None:
    """Returns when one of these is done, or on timeout."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
