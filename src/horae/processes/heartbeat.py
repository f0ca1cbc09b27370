"""A worker's heartbeat renews its leases, on its own thread, event loop and connection: user code that blocks the
worker's loop cannot cost it a lease, and an unreachable database cannot keep it from giving up its work in time
(fencing on the worker's side)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Protocol

from horae.domain.cluster.process import Beat, WorkerSign
from horae.domain.errors import StoreUnavailable
from horae.domain.runs.states import StopReason
from horae.ports import Clock, Controller
from horae.processes.loop import Loop, log
from horae.processes.settings import WorkerSettings

CANCEL_POLL = 1.0


class LeaseHolder(Protocol):
    """What the heartbeat needs from the worker, called from its own thread."""

    @property
    def sign(self) -> WorkerSign: ...
    def held(self) -> dict[str, str]: ...
    def beat(self) -> Beat: ...
    def renewed(self, run_id: str, token: str, until: float) -> None: ...
    def stop_run(self, run_id: str, token: str, reason: StopReason) -> None: ...
    def rest(self) -> None: ...


class Heartbeat:
    """Renews all leases of a worker in one statement, polls for cancellations, and ends what it can no longer renew."""

    def __init__(self, patient: LeaseHolder, controller: Controller, clock: Clock, settings: WorkerSettings) -> None:
        self._patient, self._controller, self._clock, self._settings = patient, controller, clock, settings
        self._safe_until: dict[str, float] = {}  # by token; the worker's own thread adds to it
        self._next_beat = 0.0
        self.beating = Loop("heartbeat", self.step)
        self.guarding = Loop("guard", self.guard)

    async def run(self) -> None:
        await asyncio.gather(self.beating.run(), self.guarding.run())

    def stop(self) -> None:
        self.beating.stop()
        self.guarding.stop()

    def leased(self, token: str, since: float) -> float:
        """Registers leases claimed with this token at or after `since` on this clock; returns until when they are
        certainly valid."""
        until = self._safe_until[token] = since + self._own_lease
        return until

    @property
    def _own_lease(self) -> float:
        """How long the worker relies on a lease: less than the database does, so that its work is dead before anyone
        else may start the run."""
        return self._settings.lease * 0.8

    async def step(self) -> float:
        """Sends a heartbeat, or polls for cancellations between two. Waits for a slow database, but leaves time for
        another try before the lease expires."""
        try:
            async with asyncio.timeout(max(self._settings.heartbeat, self._settings.lease * 0.6)):
                await self._talk()
        except TimeoutError:
            raise StoreUnavailable("the database is not responding to heartbeats") from None
        until_beat = max(self._next_beat - self._clock.monotonic(), 0.05)
        return min(until_beat, CANCEL_POLL) if self._patient.held() else until_beat

    async def _talk(self) -> None:
        began = self._clock.monotonic()
        held = self._patient.held()
        if began < self._next_beat:
            if held:
                for run_id, token in await self._controller.cancelling(self._patient.sign.id):
                    self._patient.stop_run(run_id, token, StopReason.CANCEL)
            return
        beat = self._patient.beat()
        renewed, drain = await self._controller.renew(self._patient.sign, self._settings.lease, list(held), beat)
        self._next_beat = began + self._settings.heartbeat
        if drain:
            self._patient.rest()
        kept = {(run_id, token) for run_id, token, _ in renewed}
        for run_id, token, cancel in renewed:
            self._safe_until[token] = until = began + self._own_lease
            self._patient.renewed(run_id, token, until)
            if cancel:
                self._patient.stop_run(run_id, token, StopReason.CANCEL)
        for run_id, token in held.items():
            if (run_id, token) not in kept:
                self._patient.stop_run(run_id, token, StopReason.LEASE_LOST)

    async def guard(self) -> float:
        """Ends attempts whose lease could not be renewed in time. A separate loop: a beat may hang."""
        now, safe_until, held = self._clock.monotonic(), dict(self._safe_until), self._patient.held()
        for run_id, token in held.items():
            if safe_until.get(token, now) < now:
                self._patient.stop_run(run_id, token, StopReason.LEASE_LOST)
        for token in safe_until.keys() - held.values():
            if safe_until[token] < now:  # one that was just claimed may not be known as held yet
                self._safe_until.pop(token, None)
        return self._settings.lease / 20


OpenHeartbeat = Callable[[], Awaitable[tuple[Heartbeat, Controller]]]


class Heart(Protocol):
    """Runs a worker's heartbeat beside it."""

    async def start(self) -> None: ...
    def leased(self, token: str, since: float) -> float: ...
    def poke(self) -> None: ...
    async def stop(self) -> None: ...

    @property
    def trouble(self) -> str | None:
        """Why it does not beat, if it keeps failing."""
        ...


class HeartbeatThread:
    """Runs a heartbeat on its own thread. The controller is opened there: its connections belong to that event loop."""

    def __init__(self, open_heartbeat: OpenHeartbeat) -> None:
        self._open = open_heartbeat
        self._loop: asyncio.AbstractEventLoop | None = None
        self._heartbeat: Heartbeat | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="horae-heartbeat", daemon=True)

    async def start(self) -> None:
        self._thread.start()
        await asyncio.to_thread(self._ready.wait)
        if self._failure is not None:
            raise self._failure

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except BaseException as error:
            self._failure = error
            log.error("the heartbeat ended", exc_info=True)
        finally:
            self._ready.set()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._heartbeat, controller = await self._open()
        self._ready.set()
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
        """Polls for cancellations now."""
        if self._loop is not None and self._heartbeat is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._heartbeat.beating.wake.set)

    async def stop(self) -> None:
        if self._loop is not None and self._heartbeat is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._heartbeat.stop)
        await asyncio.to_thread(self._thread.join, 5)
