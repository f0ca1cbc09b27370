"""`event_sinks`: where events are sent, and how that goes. Their secrets arrive here encrypted."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from horae.domain.notify.channel import SealedPart
from horae.domain.pages import Page
from horae.domain.sinks.listeners import Listener
from horae.domain.sinks.sink import FailingSink, Gap, NewSink, SinkDue, SinkRecord, read_sink
from horae.domain.sinks.types import expanded
from horae.domain.text.checks import storable
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch, dump, keys_of, load, read, some
from horae.store.tables import sinks as tables
from horae.store.watching.channels import sealed_part

_RECORD = (
    "id, project_id, name, kind, enabled, spec, sealed, key_id, sent, dropped, tries, failing_since, retry_at, "
    "last_sent_at, last_error, created_by, created_at, updated_by, updated_at"
)
_SAVED = ("name", "kind", "enabled", "types", "spec", "sealed", "key_id", "updated_by")
_ENDED = "token = NULL, lease_until = NULL"


def due(d: Dialect) -> str:
    """Finds sinks for which something waits."""
    return (
        f"SELECT s.id FROM event_sinks s WHERE {_free(d)} AND (s.gap > 0 OR EXISTS (SELECT 1 FROM event_outbox o "
        "WHERE o.sink_id = s.id))"
    )


def _free(d: Dialect) -> str:
    return (
        f"s.enabled = TRUE AND (s.retry_at IS NULL OR s.retry_at <= {d.now}) "
        f"AND (s.lease_until IS NULL OR s.lease_until < {d.now})"
    )


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows: Rows = batch(d, tables.event_sinks, "id", "project_id", *_SAVED, "created_by")
        self.add = d.insert_from("event_sinks", self.add_rows, {"created_at": d.now, "updated_at": d.now})
        self.save_rows = batch(d, tables.event_sinks, "id", *_SAVED)
        self.save = d.update_from(
            "event_sinks",
            self.save_rows,
            {**{column: f"v.{column}" for column in _SAVED}, "updated_at": d.now, "retry_at": "NULL"},
            "event_sinks.id = v.id",
        )
        self.candidates = f"{due(d)}%s ORDER BY COALESCE(s.served_at, s.created_at) LIMIT :limit"
        self.lock = (
            "SELECT s.id, s.project_id, s.name, s.kind, s.spec, s.sealed, s.key_id, s.tries, s.gap, s.gap_id, "
            f"s.gap_from, s.gap_until FROM event_sinks s WHERE {d.among('s.id', 'ids')} AND {_free(d)} "
            f"ORDER BY COALESCE(s.served_at, s.created_at) {d.lock_skip}"
        )
        self.lease = (
            f"UPDATE event_sinks SET token = :token, lease_until = {d.later(':lease')}, served_at = {d.now} "
            f"WHERE {d.among('id', 'ids')}"
        )
        self.renewed = f"lease_until = {d.later(':lease')}"
        self.well = f"tries = 0, failing_since = NULL, retry_at = NULL, last_error = NULL, last_sent_at = {d.now}"


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class SinkTable(Group):
    async def add(self, sink: NewSink, actor: str) -> None:
        sql = _sql(self.d)
        await self.put(sql.add, sql.add_rows, [(sink.id, sink.project_id, *_values(sink, actor), actor)])

    async def save(self, sink: NewSink, actor: str) -> None:
        sql = _sql(self.d)
        await self.put(sql.save, sql.save_rows, [(sink.id, *_values(sink, actor))])

    async def delete(self, sink_id: str) -> None:
        await self.db.execute("DELETE FROM event_sinks WHERE id = :id", {"id": sink_id})

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> SinkRecord | None:
        for column in keys_of(ref):
            rows = await self.db.fetch(
                f"SELECT {_RECORD} FROM event_sinks WHERE project_id = :project_id AND {column} = :ref "
                f"{self.d.lock if lock else ''}",
                {"project_id": project_id, "ref": ref},
            )
            if rows:
                return _record(rows[0])
        return None

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[SinkRecord]:
        more = "" if after is None else " AND name > :after"
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM event_sinks WHERE project_id = :project_id{more} ORDER BY name LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_record(row) for row in rows], limit, lambda one: one.name)

    async def count(self, project_id: str) -> int:
        (row,) = await self.db.fetch(
            "SELECT COUNT(*) AS n FROM event_sinks WHERE project_id = :project_id", {"project_id": project_id}
        )
        return int(row["n"])

    async def listening(self) -> list[Listener]:
        rows = await self.db.fetch("SELECT id, project_id, types FROM event_sinks WHERE enabled = TRUE")
        return [Listener(row["id"], row["project_id"], expanded(row["types"].split())) for row in rows]

    async def failing(self, limit: int) -> list[FailingSink]:
        rows = await self.db.fetch(
            "SELECT s.name, p.slug, s.failing_since, s.last_error, s.dropped FROM event_sinks s "
            "LEFT JOIN projects p ON p.id = s.project_id WHERE s.enabled = TRUE AND s.failing_since IS NOT NULL "
            "ORDER BY s.failing_since LIMIT :limit",
            {"limit": limit},
        )
        return [
            FailingSink(row["name"], row["slug"], row["failing_since"], row["last_error"], row["dropped"])
            for row in rows
        ]

    # Sending

    async def any_due(self) -> bool:
        return bool(await self.db.fetch(_sql(self.d).candidates % "", {"limit": 1}))

    async def claim(self, token: str, lease: float, limit: int, without: Collection[str]) -> list[SinkDue]:
        sql = _sql(self.d)
        others = f" AND NOT {self.d.among('s.id', 'busy')}" if without else ""
        params: dict[str, Any] = {"limit": limit, **({"busy": some(without)} if without else {})}
        ids = [row["id"] for row in await self.db.fetch(sql.candidates % others, params)]
        rows = await self.db.fetch(sql.lock, {"ids": ids}) if ids else []
        if rows:
            ids = [row["id"] for row in rows]
            await self.db.execute(sql.lease, {"ids": ids, "token": token, "lease": lease})
        return [_due(row, token) for row in rows]

    async def confirm(self, due: SinkDue, *, sent: int, lease: float | None) -> bool:
        sql = _sql(self.d)
        sets = [_ENDED if lease is None else sql.renewed]
        params: dict[str, Any] = {} if lease is None else {"lease": lease}
        if sent:
            sets += ["sent = sent + :sent", sql.well]
            params["sent"] = sent
        return await self._change(due, ", ".join(sets), **params)

    async def fail(self, due: SinkDue, *, sent: int, error: str, pause: float) -> bool:
        return await self._change(
            due,
            f"sent = sent + :sent, tries = {'1' if sent else 'tries + 1'}, last_error = :error, {_ENDED}, "
            f"failing_since = COALESCE(failing_since, {self.d.now}), retry_at = {self.d.later(':pause')}",
            sent=sent,
            error=storable(error),
            pause=pause,
        )

    async def drop(self, due: SinkDue, gap: Gap) -> bool:
        return await self._change(
            due,
            "dropped = dropped + :count, gap = gap + :count, gap_id = COALESCE(gap_id, :gap_id), "
            "gap_from = COALESCE(gap_from, :first), gap_until = :last",
            count=gap.count,
            gap_id=gap.id,
            first=gap.first,
            last=gap.last,
        )

    async def _change(self, due: SinkDue, sets: str, **params: Any) -> bool:
        matched = await self.db.execute(
            f"UPDATE event_sinks SET {sets} WHERE id = :id AND token = :token",
            {"id": due.id, "token": due.token, **params},
        )
        return matched > 0

    async def told(self, sink_id: str, gap_id: str) -> None:
        await self.db.execute(
            "UPDATE event_sinks SET gap = 0, gap_from = NULL, gap_until = NULL, gap_id = NULL "
            "WHERE id = :id AND gap_id = :gap_id",
            {"id": sink_id, "gap_id": gap_id},
        )

    # Keys

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[SinkRecord]:
        more = "" if after is None else "AND id > :after "
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM event_sinks WHERE sealed IS NOT NULL AND key_id <> :key_id {more}"
            "ORDER BY id LIMIT :limit",
            {"key_id": key_id, "after": after, "limit": limit},
        )
        return [_record(row) for row in rows]

    async def reseal(self, sink_id: str, old: SealedPart, new: SealedPart) -> bool:
        matched = await self.db.execute(
            "UPDATE event_sinks SET sealed = :new, key_id = :key_id WHERE id = :id AND sealed = :old",
            {"new": new.text, "key_id": new.key_id, "id": sink_id, "old": old.text},
        )
        return matched > 0


def _values(sink: NewSink, actor: str) -> tuple[Any, ...]:
    spec, sealed = sink.spec, sink.sealed
    document = {**spec.model_dump(mode="json", exclude={"target"}), "target": spec.target.public()}
    return (
        sink.name,
        spec.target.kind,
        sink.enabled,
        " ".join(spec.types),
        dump(document),
        sealed.text if sealed else None,
        sealed.key_id if sealed else None,
        actor,
    )


def _record(row: Row) -> SinkRecord:
    spec, fault = read_sink(load(row["spec"]))
    return read(SinkRecord, row, enabled=bool(row["enabled"]), spec=spec, fault=fault, sealed=sealed_part(row))


def _due(row: Row, token: str) -> SinkDue:
    spec, fault = read_sink(load(row["spec"]))
    gap = None
    if row["gap"] and row["gap_id"] is not None:
        gap = Gap(row["gap_id"], row["gap"], row["gap_from"], row["gap_until"])
    return SinkDue(
        id=row["id"],
        token=token,
        project_id=row["project_id"],
        name=row["name"],
        kind=row["kind"],
        tries=row["tries"],
        spec=spec,
        fault=fault,
        sealed=sealed_part(row),
        gap=gap,
    )
