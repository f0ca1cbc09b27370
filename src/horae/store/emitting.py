"""Writes the events of a transaction to the outbox, before it commits, for the sinks that this process knows of.

A process reads the sinks now and then (`SqlStore.learn`). Where there are none, an event costs nothing. A new sink is
unknown for some seconds, which only delays its first event; a deleted one leaves rows that are never sent, and that
the scheduler deletes."""

from __future__ import annotations

import asyncio

from horae.domain.sinks.drafts import EventDraft, drafts
from horae.domain.sinks.listeners import Listeners
from horae.ports import Ids
from horae.store.aftermath import Aftermath
from horae.store.dialects.base import Connection, Dialect
from horae.store.watching.outbox import OutboxTable

_HINTS = 0.2  # seconds between two hints of a process; the scheduler looks by itself, too


class Emitter:
    def __init__(self, ids: Ids) -> None:
        self.listeners: Listeners | None = None  # if there is no sink
        self._ids = ids
        self._hint_at = 0.0

    async def write(self, db: Connection, d: Dialect, after: Aftermath) -> None:
        rows = self._rows(self.listeners, after) if self.listeners is not None else []
        if not rows:
            return
        await OutboxTable(db, d).add(rows)
        now = asyncio.get_running_loop().time()
        if now >= self._hint_at:
            self._hint_at = now + _HINTS
            after.hints.add("events")

    def _rows(self, listeners: Listeners, after: Aftermath) -> list[tuple[str, str, EventDraft]]:
        rows = []
        for event in (*after.claims, *after.events):
            for draft in drafts(event):
                if sinks := listeners.of(draft.type, draft.project_id):
                    event_id = self._ids.new()
                    rows += [(sink_id, event_id, draft) for sink_id in sinks]
        return rows
