"""Stranded runs, which no live worker can execute: looked up once for all callers, and rarely enough to take only a
small part of the database's time, however many there are."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.lifecycle.stranded import StrandedRuns, find_stranded
from horae.ports import Clock, Store

_FRESH = 5.0  # seconds
_SHARE = 50  # times as long as it took
_PATIENCE = 1.0  # seconds that a request waits for it


class Lookout:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        offline_after: float,
        engines: EngineChoice = DATABASE_ONLY,
        *,
        fresh: float = _FRESH,
    ) -> None:
        self._engines = engines
        self._store, self._clock, self._offline_after, self._fresh = store, clock, offline_after, fresh
        self._found: StrandedRuns | None = None
        self._until = self._took = 0.0
        self._looking: asyncio.Task[None] | None = None

    async def found(self) -> StrandedRuns | None:
        """None until the first lookup."""
        if self._found is None or self._clock.monotonic() >= self._until:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())
            # If it is known to take long, callers do not wait for it: the previous result is good enough.
            await asyncio.wait([self._looking], timeout=0 if self._took > _PATIENCE else _PATIENCE)
            if self._looking.done():
                self._looking.result()
        return self._found

    async def of(self, project_id: str) -> StrandedRuns | None:
        """Those of one project."""
        found = await self.found()
        if found is None:
            return None
        return replace(found, stranded=tuple(one for one in found.stranded if one.project_id == project_id))

    async def _look(self) -> None:
        began = self._clock.monotonic()
        self._found = await self._store.read(find_stranded, offline_after=self._offline_after, engines=self._engines)
        now = self._clock.monotonic()
        self._took = now - began
        self._until = now + max(self._fresh, _SHARE * self._took)
