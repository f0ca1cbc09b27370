"""Deferred writes for idempotency keys: what a process could not store because the database was unreachable is written
when it is back, so that a retry does not wait for a request that ended long ago."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from horae.api.context import RequestContext
from horae.domain.errors import StoreUnavailable
from horae.domain.jobs.idempotency import HELD

log = structlog.get_logger()

Verb = Callable[..., Awaitable[None]]
_MOST = 1_000  # entries; the rest, and entries older than `HELD` seconds, are dropped: their keys expire anyway
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0


class Notes:
    def __init__(self, context: RequestContext) -> None:
        self._context = context
        self._left: deque[tuple[float, Verb, tuple[Any, ...], dict[str, Any]]] = deque(maxlen=_MOST)
        self._writing: asyncio.Task[None] | None = None

    async def write(self, verb: Verb, *args: Any, **kwargs: Any) -> None:
        """At once if possible. The request itself is done: without the entry, the next try finds out."""
        try:
            await self._context.store.autocommit(verb, *args, **kwargs)
        except Exception as error:
            log.warning("a response could not be stored for its idempotency key yet", reason=str(error))
            self.write_later(verb, *args, **kwargs)

    def write_later(self, verb: Verb, *args: Any, **kwargs: Any) -> None:
        self._left.append((self._context.clock.monotonic() + HELD, verb, args, kwargs))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())

    async def _write_all(self) -> None:
        pause = _FIRST_PAUSE
        while self._left and not self._context.stopping.is_set():
            until, verb, args, kwargs = self._left[0]
            try:
                if self._context.clock.monotonic() < until:
                    await self._context.store.autocommit(verb, *args, **kwargs)
            except StoreUnavailable:
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                continue
            except Exception as error:
                log.warning("a response was not stored for its idempotency key", reason=str(error))
            self._left.popleft()
