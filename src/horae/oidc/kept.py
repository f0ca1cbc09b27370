"""A cache for fetched documents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from horae.domain.people.single_sign_on import NotAccepted
from horae.ports import Clock

T = TypeVar("T")
_FAILED_FOR = 2.0  # seconds before the next try


class SealedState(Generic[T]):
    """One fetch serves all waiting requests, and so does its failure: simultaneous sign-ins must not wait for the
    provider one after the other."""

    def __init__(self, clock: Clock, fetch: Callable[[], Awaitable[T]]) -> None:
        self._clock, self._fetch, self._lock = clock, fetch, asyncio.Lock()
        self._found: tuple[float, T] | None = None
        self._failed: tuple[float, NotAccepted] | None = None

    async def get(self, younger_than: float) -> T:
        async with self._lock:
            now = self._clock.monotonic()
            if self._found is not None and now - self._found[0] <= younger_than:
                return self._found[1]
            if self._failed is not None and now - self._failed[0] <= _FAILED_FOR:
                raise self._failed[1]
            try:
                fetched = await self._fetch()
            except NotAccepted as error:
                self._failed = (self._clock.monotonic(), error)
                raise
            self._found, self._failed = (self._clock.monotonic(), fetched), None
            return fetched
