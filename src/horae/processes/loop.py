"""The one way in which background work repeats: a step says how long to wait, a wake-up ends the wait early, and a
database that is away is waited for."""

from __future__ import annotations

import asyncio
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


class Loop:
    """Repeats a step until it is stopped."""

    def __init__(self, name: str, step: Step, wake: Wake | None = None) -> None:
        self.name = name
        self.wake = wake or Wake()
        self._step = step
        self._stopping = False
        self._pause = 0.0

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
            return self._failed("waiting for the database", reason=str(error))
        except Exception:
            return self._failed("a step failed and will be repeated", exc_info=True)
        if self._pause:
            log.info("working again", loop=self.name)
            self._pause = 0.0
        return delay

    def _failed(self, message: str, **details: object) -> float:
        if not self._pause:
            log.warning(message, loop=self.name, **details)
        self._pause = min(max(self._pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
        return self._pause
