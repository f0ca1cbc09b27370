"""Concurrency limit for expensive reads: those that keep a core busy for a second or more run one at a time in each
process, since the GIL leaves other threads little and the rate limit counts such a read as one request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from horae.api.errors import TooManyRequests

AT_ONCE = 1
PATIENCE = 10.0  # seconds that a request waits
WAITING = 50  # waiting requests at most; more would only time out


class Turns:
    def __init__(self) -> None:
        self._free = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Raises TooManyRequests if others take too long."""
        if self._waiting >= WAITING:
            raise _busy()
        self._waiting += 1
        try:
            await asyncio.wait_for(self._free.acquire(), PATIENCE)
        except TimeoutError:
            raise _busy() from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()


def _busy() -> TooManyRequests:
    return TooManyRequests("too many of these expensive requests at once; try again", retry_after=int(PATIENCE))
