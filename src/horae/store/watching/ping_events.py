"""`ping_events`: signals of pings, and missed deadlines. Each ping keeps its newest ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from horae.domain.pages import Page
from horae.domain.pings.ping import PingEvent, PingMessage
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch, words
from horae.store.tables import pings as tables

_PLAIN = words("ping_id n at kind exit_code rid duration_ms")
_MESSAGE = words("method address agent body_bytes")


@cache
def _add(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.ping_events, *_PLAIN, *_MESSAGE, "body")
    return d.insert_from("ping_events", rows), rows


class PingEventTable(Group):
    async def add(self, events: Sequence[PingEvent]) -> None:
        sql, rows = _add(self.d)
        values = [
            (
                *(getattr(event, name) for name in _PLAIN),
                *(getattr(event.message, name) for name in (*_MESSAGE, "body")),
            )
            for event in events
        ]
        await self.put(sql, rows, values)

    async def started(self, ping_id: str, rid: str) -> datetime | None:
        """When the run with this id reported its start, if that event is still there."""
        rows = await self.db.fetch(
            "SELECT at FROM ping_events WHERE ping_id = :ping_id AND rid = :rid AND kind = 'start' "
            "ORDER BY n DESC LIMIT 1",
            {"ping_id": ping_id, "rid": rid},
        )
        found: datetime | None = rows[0]["at"] if rows else None
        return found

    async def page(self, ping_id: str, *, limit: int, after: int | None) -> Page[PingEvent]:
        """Newest first, without their bodies."""
        more = "" if after is None else "AND n < :after "
        rows = await self.db.fetch(
            f"SELECT {', '.join((*_PLAIN, *_MESSAGE))} FROM ping_events WHERE ping_id = :ping_id {more}"
            "ORDER BY n DESC LIMIT :limit",
            {"ping_id": ping_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_event(row) for row in rows], limit, lambda one: str(one.n))

    async def find(self, ping_id: str, n: int) -> PingEvent | None:
        """With its body."""
        rows = await self.db.fetch(
            f"SELECT {', '.join((*_PLAIN, *_MESSAGE, 'body'))} FROM ping_events WHERE ping_id = :ping_id AND n = :n",
            {"ping_id": ping_id, "n": n},
        )
        return _event(rows[0], rows[0]["body"]) if rows else None

    async def keep_from(self, ping_id: str, n: int) -> None:
        """Deletes events older than `n` of a ping."""
        await self.db.execute(
            "DELETE FROM ping_events WHERE ping_id = :ping_id AND n < :n", {"ping_id": ping_id, "n": n}
        )

    async def delete(self, ping_id: str) -> None:
        await self.db.execute("DELETE FROM ping_events WHERE ping_id = :ping_id", {"ping_id": ping_id})

    async def prune(self, older_than: float, limit: int) -> int:
        """For the pings with the oldest events, all that are that old."""
        old = f"at < {self.d.earlier(':older_than')}"
        rows = await self.db.fetch(
            f"SELECT ping_id FROM ping_events WHERE {old} ORDER BY at LIMIT :limit",
            {"older_than": older_than, "limit": limit},
        )
        if rows:
            await self.db.execute(
                f"DELETE FROM ping_events WHERE {self.d.among('ping_id', 'ids')} AND {old}",
                {"ids": sorted({row["ping_id"] for row in rows}), "older_than": older_than},
            )
        return len(rows)


def _event(row: Row, body: str | None = None) -> PingEvent:
    message = PingMessage(row["method"], row["address"], row["agent"], body, row["body_bytes"])
    return PingEvent(
        row["ping_id"],
        row["n"],
        row["at"],
        row["kind"],
        row["exit_code"],
        row["rid"],
        row["duration_ms"],
        message,
    )
