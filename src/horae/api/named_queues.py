"""Which queues the jobs of a project name. That takes the longer the more jobs there are: nobody can have it looked up
twice at once, and what took long is remembered for a while, so that it never costs more than a small part of the
database's time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from horae.lifecycle.queues import named_queues
from horae.ports import Clock, Store

_QUICK = 0.1  # seconds: what takes no longer is looked up each time
_SHARE = 20  # times as long as it took
_REMEMBERED = 1_000


class NamedQueues:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._found: OrderedDict[str, tuple[float, set[str]]] = OrderedDict()
        self._looking: dict[str, asyncio.Task[set[str]]] = {}

    async def of(self, project_id: str) -> set[str]:
        until, names = self._found.get(project_id, (0.0, set()))
        if self._clock.monotonic() < until:
            return names
        if project_id not in self._looking:
            self._looking[project_id] = asyncio.create_task(self._look(project_id))
        return await asyncio.shield(self._looking[project_id])

    async def _look(self, project_id: str) -> set[str]:
        try:
            began = self._clock.monotonic()
            names = await self._store.read(named_queues, project_id)
            now = self._clock.monotonic()
        finally:
            del self._looking[project_id]
        self._found.pop(project_id, None)
        if now - began > _QUICK:
            self._found[project_id] = (now + _SHARE * (now - began), names)
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return names
