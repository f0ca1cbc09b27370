"""The one way in which background work repeats: a step says how long to wait, a wake-up ends the wait early, and a
database that is away is waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import structlog

from horae.domain.errors import StoreUnavailable

log = structlog.get_logger()

Step = Callable[[], Awaitable[float | None]]
"""One piece of work; returns the seconds until the next, None to wait for a wake-up."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class Wake:
    """A wake-up that sticks: one that comes while the step is at work ends the next wait at once."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self, timeout: float | None) -> None:
        if timeout is None or timeout > 0:
            try:
                async with asyncio.timeout(timeout):
                    await self._event.wait()
            except TimeoutError:
                pass
        else:
            await asyncio.sleep(0)
        self._event.clear()


class Outage:
    """The database is away: the first loop of a process that notices says so, the last one says that it is over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the heartbeat's loops are on a thread of their own
        self._waiting: set[Loop] = set()

    def begins(self, loop: Loop, reason: str) -> None:
        with self._lock:
            if not self._waiting:
                log.warning("waiting for the database", reason=reason)
            self._waiting.add(loop)

    def ends(self, loop: Loop) -> None:
        with self._lock:
            if loop in self._waiting:
                self._waiting.remove(loop)
                if not self._waiting:
                    log.info("the database is back")


_outage = Outage()


class Loop:
    """Repeats a step until it is stopped."""

    def __init__(self, name: str, step: Step, wake: Wake | None = None) -> None:
        self.name = name
        self.wake = wake or Wake()
        self._step = step
        self._stopping = False
        self._pause = 0.0
        self._failing = False

    def stop(self) -> None:
        self._stopping = True
        self.wake.set()

    async def run(self) -> None:
        while not self._stopping:
            await self.wake.wait(await self._guarded())

    async def _guarded(self) -> float | None:
        """Takes the step. A failure is said once, waited out, and never ends the process."""
        try:
            delay = await self._step()
        except StoreUnavailable as error:
            _outage.begins(self, str(error))
            return self._longer_pause()
        except Exception:
            _outage.ends(self)
            if not self._failing:
                self._failing = True
                log.warning("a step failed and will be repeated", loop=self.name, exc_info=True)
            return self._longer_pause()
        _outage.ends(self)
        if self._failing:
            self._failing = False
            log.info("working again", loop=self.name)
        self._pause = 0.0
        return delay

    def _longer_pause(self) -> float:
        self._pause = min(max(self._pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
        return self._pause
