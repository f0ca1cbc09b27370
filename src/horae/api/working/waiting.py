"""Long polling: claims, and questions for cancellations, that wait. Agents that may take the same runs form a line: the
first of them asks the database when a hint says that something came, when something is due, or now and then; the others
cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from horae.api.errors import TooManyRequests
from horae.ports import Clock, Hint

MOST = 5_000  # claims that wait at a time, and as many questions for cancellations
_POLL = 2.0  # seconds between two questions of a line, in case a hint was lost
_GLANCE = 4.0  # seconds after which it is checked whether the key is still valid

T = TypeVar("T")
Class = tuple[object, ...]
Attempt = Callable[[], Awaitable[tuple[T | None, float]]]
"""What came of it, and the seconds until another try is worth it."""
IsOver = Callable[[], Awaitable[bool]]
"""Whether waiting is in vain. Raises if the caller may not wait any more."""


@dataclass(slots=True)
class ClaimLine:
    """`due_at`: when the next question is worth it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rung: asyncio.Event = field(default_factory=asyncio.Event)
    due_at: float = 0.0
    waiting: int = 0


class WaitingRoom:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: dict[Class, ClaimLine] = {}
        self._waiting = self._asking = 0
        self._agents: dict[str, set[asyncio.Event]] = {}

    def on_hint(self, hint: Hint) -> None:
        topic, _, about = hint.partition(":")
        if topic == "runs":
            for line in self._lines.values():
                line.due_at = 0.0
                line.rung.set()
        elif topic == "cancel":
            for worker_id, events in self._agents.items():
                if about in ("", worker_id):
                    for event in events:
                        event.set()

    async def claim(self, of: Class, wait: float, try_it: Attempt[T], is_over: IsOver) -> T | None:
        """Tries until there is a result, for `wait` seconds, or until `is_over`."""
        _check_room(self._waiting)
        line = self._lines.setdefault(of, ClaimLine())
        line.waiting += 1
        self._waiting += 1
        try:
            return await self._claim(line, self._clock.monotonic() + wait, try_it, is_over)
        finally:
            self._waiting -= 1
            line.waiting -= 1
            if not line.waiting:
                self._lines.pop(of, None)

    async def _claim(self, line: ClaimLine, until: float, try_it: Attempt[T], is_over: IsOver) -> T | None:
        while True:
            if await _acquired(line.lock, min(max(until - self._clock.monotonic(), 0), _GLANCE)):
                try:
                    if (found := await self._first(line, until, try_it)) is not None:
                        return found
                finally:
                    line.lock.release()
            if self._clock.monotonic() >= until or await is_over():
                return None

    async def _first(self, line: ClaimLine, until: float, try_it: Attempt[T]) -> T | None:
        """At the head of the line."""
        if self._clock.monotonic() >= line.due_at:
            line.rung.clear()
            line.due_at = self._clock.monotonic() + _POLL
            found, pause = await try_it()
            if found is not None:
                line.due_at = 0.0  # there may be more, for the next in line
                return found
            if not line.rung.is_set():
                line.due_at = self._clock.monotonic() + min(pause, _POLL)
        now = self._clock.monotonic()
        await _rings(line.rung, max(min(until - now, _GLANCE, line.due_at - now), 0))
        return None

    async def signal(self, worker_id: str, wait: float, is_over: IsOver) -> bool:
        """Whether this worker should look for cancellations now."""
        _check_room(self._asking)
        event, until = asyncio.Event(), self._clock.monotonic() + wait
        events = self._agents.setdefault(worker_id, set())
        events.add(event)
        self._asking += 1
        try:
            while not await _rings(event, max(min(until - self._clock.monotonic(), _GLANCE), 0)):
                if self._clock.monotonic() >= until or await is_over():
                    return False
            return True
        finally:
            self._asking -= 1
            events.discard(event)
            if not events:
                self._agents.pop(worker_id, None)


def _check_room(waiting: int) -> None:
    if waiting >= MOST:
        raise TooManyRequests("too many requests are waiting here; try again soon", retry_after=2)


async def _rings(event: asyncio.Event, wait: float) -> bool:
    try:
        async with asyncio.timeout(wait):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _acquired(lock: asyncio.Lock, wait: float) -> bool:
    if not lock.locked():
        return await lock.acquire()
    try:
        async with asyncio.timeout(wait):
            return await lock.acquire()
    except TimeoutError:
        return False
