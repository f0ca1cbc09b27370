"""`event_outbox`: events that wait for their sinks. The database numbers the rows. Events of one run are written by
transactions that lock the run one after the other, so their numbers are in order; those of other runs may become
visible late, which is why rows are deleted when they are sent, and no cursor skips any."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import orjson

from horae.domain.sinks.drafts import EventDraft
from horae.domain.sinks.sink import OutboxEvent
from horae.store.dialects.base import Dialect, Row, Rows, listed
from horae.store.jobs.labels import JobLabels, labels_of
from horae.store.rows import Group, batch, load, some, words
from horae.store.tables import sinks as tables

_COLUMNS = words("sink_id event_id type project_id job_id subject data")
_PORTION = 1_000  # rows of a statement
_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.rows: Rows = batch(d, tables.event_batch, "n", *_COLUMNS)
        self.add = (
            f"INSERT INTO event_outbox ({listed(_COLUMNS)}, at) SELECT {listed(_COLUMNS, 'v.')}, {d.now} "
            f"FROM {self.rows.sql} ORDER BY v.n"
        )
        self.first = (
            "SELECT o.seq, o.event_id, o.type, o.project_id, o.job_id, o.subject, o.at, o.data, p.slug, j.name "
            "FROM event_outbox o LEFT JOIN projects p ON p.id = o.project_id LEFT JOIN jobs j ON j.id = o.job_id "
            "WHERE o.sink_id = :sink_id ORDER BY o.seq LIMIT :limit"
        )
        self.clear = (
            "SELECT o.seq FROM event_outbox o WHERE NOT EXISTS (SELECT 1 FROM event_sinks s WHERE s.id = o.sink_id "
            "AND s.enabled = TRUE) LIMIT :limit"
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class OutboxTable(Group):
    async def add(self, events: Sequence[tuple[str, str, EventDraft]]) -> None:
        sql = _sql(self.d)
        values = [(n, *_values(*one)) for n, one in enumerate(events)]
        for start in range(0, len(values), _PORTION):
            await self.put(sql.add, sql.rows, values[start : start + _PORTION])

    async def first(self, sink_id: str, limit: int, *, tags: bool) -> list[OutboxEvent]:
        rows = await self.db.fetch(_sql(self.d).first, {"sink_id": sink_id, "limit": limit})
        labels = await labels_of(self.db, self.d, {row["job_id"] for row in rows}) if tags else {}
        return [_event(row, labels) for row in rows]

    async def surplus(self, sink_id: str, *, keep_for: float, most: int, limit: int) -> list[OutboxEvent]:
        beyond = await self.db.fetch(
            "SELECT seq FROM event_outbox WHERE sink_id = :sink_id ORDER BY seq DESC LIMIT 1 OFFSET :most",
            {"sink_id": sink_id, "most": most},
        )
        last = beyond[0]["seq"] if beyond else 0
        oldest = await self._aged(sink_id, keep_for, 1)
        if not any(is_old or event.seq <= last for event, is_old in oldest):
            return []
        return [event for event, is_old in await self._aged(sink_id, keep_for, limit) if is_old or event.seq <= last]

    async def _aged(self, sink_id: str, keep_for: float, limit: int) -> list[tuple[OutboxEvent, bool]]:
        """The oldest ones of a sink, and whether they are too old. Their order is nearly that of their times."""
        rows = await self.db.fetch(
            "SELECT o.seq, o.event_id, o.type, o.project_id, o.job_id, o.subject, o.at, NULL AS data, NULL AS slug, "
            f"NULL AS name, CASE WHEN o.at < {self.d.earlier(':keep_for')} THEN 1 ELSE 0 END AS is_old "
            "FROM event_outbox o WHERE o.sink_id = :sink_id ORDER BY o.seq LIMIT :limit",
            {"sink_id": sink_id, "keep_for": keep_for, "limit": limit},
        )
        return [(_event(row, {}), bool(row["is_old"])) for row in rows]

    async def delete(self, seqs: Collection[int]) -> None:
        if seqs:
            await self.db.execute(f"DELETE FROM event_outbox WHERE {self.d.among('seq', 'seqs')}", {"seqs": some(seqs)})

    async def clear(self, limit: int) -> int:
        rows = await self.db.fetch(_sql(self.d).clear, {"limit": limit})
        await self.delete([row["seq"] for row in rows])
        return len(rows)

    async def waiting(self, sink_ids: Collection[str]) -> Mapping[str, int]:
        if not sink_ids:
            return {}
        rows = await self.db.fetch(
            f"SELECT sink_id, COUNT(*) AS n FROM event_outbox WHERE {self.d.among('sink_id', 'ids')} GROUP BY sink_id",
            {"ids": some(sink_ids)},
        )
        return {row["sink_id"]: int(row["n"]) for row in rows}


def _values(sink_id: str, event_id: str, draft: EventDraft) -> tuple[Any, ...]:
    data = orjson.dumps(draft.data, option=_OPTIONS).decode()
    return (sink_id, event_id, draft.type, draft.project_id, draft.job_id, draft.subject, data)


def _event(row: Row, labels: Mapping[str, JobLabels]) -> OutboxEvent:
    data = load(row["data"])
    known = labels.get(row["job_id"]) or JobLabels()
    return OutboxEvent(
        seq=row["seq"],
        id=row["event_id"],
        type=row["type"],
        project_id=row["project_id"],
        project=row["slug"],
        job_id=row["job_id"],
        job_name=row["name"],
        subject=row["subject"],
        at=row["at"],
        data=data if isinstance(data, dict) else None,
        tags=frozenset(known.tags),
    )
