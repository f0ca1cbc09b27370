"""Which queues a project uses, and how many runs it has in each. This takes longer the more jobs and live runs there
are, so concurrent requests share one lookup, and the result of a slow one is cached for a while: it never costs more
than a small part of the database's time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from horae.domain.jobs.queue import QueueUse
from horae.lifecycle.queues import queue_use
from horae.ports import Clock, Store

_QUICK = 0.1  # seconds: faster lookups are not cached
_SHARE = 20  # times as long as it took
_REMEMBERED = 1_000


class QueueUses:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._found: OrderedDict[str, tuple[float, QueueUse]] = OrderedDict()
        self._looking: dict[str, asyncio.Task[QueueUse]] = {}

    async def of(self, project_id: str) -> QueueUse:
        if (known := self._found.get(project_id)) and self._clock.monotonic() < known[0]:
            return known[1]
        if project_id not in self._looking:
            self._looking[project_id] = asyncio.create_task(self._look(project_id))
        return await asyncio.shield(self._looking[project_id])

    async def _look(self, project_id: str) -> QueueUse:
        try:
            began = self._clock.monotonic()
            use = await self._store.read(queue_use, project_id)
            now = self._clock.monotonic()
        finally:
            del self._looking[project_id]
        self._found.pop(project_id, None)
        if now - began > _QUICK:
            self._found[project_id] = (now + _SHARE * (now - began), use)
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return use
