"""The loop of background work: a step returns how long to wait, a wake-up ends the wait early, and while the database
is unreachable it backs off and retries."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import structlog

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Histogram, Meters
from horae.domain.cluster.trouble import trouble_text
from horae.domain.errors import BrokerUnavailable, StoreRefused, StoreUnavailable

log = structlog.get_logger()

T = TypeVar("T")

Step = Callable[[], Awaitable[float | None]]
"""One piece of work; returns the seconds until the next, None to wait for a wake-up."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_IN_TROUBLE = 3  # failures in a row
_FIRST_REMINDER, _RAREST_REMINDER = 15.0, 300.0  # seconds after which an outage is logged again


class Wake:
    """A sticky wake-up: one that comes during a step ends the next wait at once."""

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
    """Database outages: the first loop of a process that notices logs it, the last one logs that it is over, and in
    between it is logged now and then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the heartbeat's loops run on their own thread
        self._waiting: set[object] = set()
        self._since = self._remind_at = 0.0

    def begins(self, who: object, reason: str) -> None:
        with self._lock:
            now = time.monotonic()
            if not self._waiting:
                log.warning("waiting for the database", reason=reason)
                self._since, self._remind_at = now, now + _FIRST_REMINDER
            elif now >= self._remind_at:
                lasting = now - self._since
                log.warning("still waiting for the database", seconds=round(lasting), reason=reason)
                self._remind_at = now + min(lasting, _RAREST_REMINDER)
            self._waiting.add(who)

    def ends(self, who: object) -> None:
        with self._lock:
            if who in self._waiting:
                self._waiting.remove(who)
                if not self._waiting:
                    log.info("the database is back")

    def leaves(self, who: object) -> None:
        """It stops waiting without having reached the database: that says nothing."""
        with self._lock:
            self._waiting.discard(who)


_outage = Outage()


class Loop:
    """Repeats a step until it is stopped."""

    def __init__(self, name: str, step: Step, wake: Wake | None = None) -> None:
        self.name = name
        self.wake = wake or Wake()
        self._step = step
        self._resting = Wake()  # after a failure: wake-ups would cause retries without a pause
        self._stopping = False
        self._pause = 0.0
        self._failing = False
        self._failures = 0  # in a row
        self._trouble: str | None = None
        self.seconds = Histogram(metrics.QUICK)  # of its steps
        self.failed = 0  # steps, ever

    @property
    def trouble(self) -> str | None:
        """Why it makes no progress, if it has failed more than once or twice. Thread-safe."""
        return self._trouble if self._failures >= _IN_TROUBLE else None

    def stop(self) -> None:
        self._stopping = True
        self.wake.set()
        self._resting.set()

    async def run(self) -> None:
        while not self._stopping:
            delay = await self._guarded()
            await (self._resting if self._pause else self.wake).wait(delay)

    async def _guarded(self) -> float | None:
        """Runs the step. A failure is logged once, waited out, and never ends the process."""
        began = time.monotonic()
        try:
            delay = await self._step()
            self.seconds.observe(time.monotonic() - began)
        except StoreUnavailable as error:
            _outage.begins(self, str(error))
            return self._longer_pause(error)
        except Exception as error:
            _outage.ends(self)
            if not self._failing:
                self._failing = True
                known = isinstance(error, BrokerUnavailable)  # then a traceback says nothing
                reason = {"reason": str(error)} if known else {"exc_info": True}
                log.warning("a step failed and will be repeated", loop=self.name, **reason)
            return self._longer_pause(error)
        _outage.ends(self)
        if self._failing:
            self._failing = False
            log.info("working again", loop=self.name)
        self._pause, self._failures = 0.0, 0
        return delay

    def _longer_pause(self, error: Exception) -> float:
        self._trouble = trouble_text(self.name, error)
        self._failures += 1
        self.failed += 1
        self._pause = _longer(self._pause)
        return self._pause


def troubled(loops: Iterable[Loop]) -> str | None:
    """The trouble of the first of them that keeps failing: for the heartbeat."""
    return next((loop.trouble for loop in loops if loop.trouble is not None), None)


def measure(loops: Sequence[Loop], meters: Meters) -> None:
    for loop in loops:
        loop.seconds = meters.histogram(metrics.STEP_SECONDS, loop.name)
    meters.gauge(metrics.STEP_FAILURES, lambda: {(loop.name,): loop.failed for loop in loops})
    meters.gauge(metrics.TROUBLED, lambda: {(loop.name,): loop.trouble is not None for loop in loops})


async def patiently(work: Callable[[], Awaitable[T]], stop: asyncio.Event) -> T | None:
    """Does something once that needs the database; waits while it is unreachable, but not beyond `stop`: then it
    returns None."""
    who, pause = object(), 0.0
    stopping = asyncio.create_task(stop.wait())
    try:
        while not stop.is_set():
            try:
                done = await work()
                _outage.ends(who)
                return done
            except StoreRefused:
                raise
            except StoreUnavailable as error:
                _outage.begins(who, str(error))
                pause = _longer(pause)
                await asyncio.wait([stopping], timeout=pause)
        return None
    finally:
        stopping.cancel()
        _outage.leaves(who)


def _longer(pause: float) -> float:
    return min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
