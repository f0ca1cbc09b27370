"""`channels`: where notices are sent. Their secrets arrive here encrypted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from horae.domain.notify.channel import ChannelRecord, NewChannel, SealedPart, read_spec
from horae.domain.pages import Page
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.jobs.naming import jobs_that_name
from horae.store.rows import Group, batch, dump, keys_of, load, load_object, some
from horae.store.tables import notify as notify_tables

_RECORD = (
    "id, project_id, name, kind, enabled, spec, sealed, key_id, level, level_at, last_state, last_at, last_error, "
    "created_by, created_at, updated_by, updated_at"
)
_SAVED = ("name", "kind", "enabled", "wants_runs", "spec", "sealed", "key_id", "updated_by")


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows: Rows = batch(d, notify_tables.channels, "id", "project_id", *_SAVED, "created_by")
        self.add = d.insert_from("channels", self.add_rows, {"created_at": d.now, "updated_at": d.now})
        self.save_rows = batch(d, notify_tables.channels, "id", *_SAVED)
        self.save = d.update_from(
            "channels",
            self.save_rows,
            {**{column: f"v.{column}" for column in _SAVED}, "updated_at": d.now},
            "channels.id = v.id",
        )
        self.fill_rows = batch(d, notify_tables.channels, "id", "level")
        self.fill = d.update_from(
            "channels", self.fill_rows, {"level": "v.level", "level_at": d.now}, "channels.id = v.id"
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class ChannelTable(Group):
    async def add(self, channel: NewChannel, actor: str) -> None:
        sql = _sql(self.d)
        await self.put(sql.add, sql.add_rows, [(channel.id, channel.project_id, *_values(channel, actor), actor)])

    async def save(self, channel: NewChannel, actor: str) -> None:
        sql = _sql(self.d)
        await self.put(sql.save, sql.save_rows, [(channel.id, *_values(channel, actor))])

    async def delete(self, channel_id: str) -> None:
        await self.db.execute("DELETE FROM deliveries WHERE channel_id = :id AND state = 'pending'", {"id": channel_id})
        await self.db.execute("DELETE FROM channels WHERE id = :id", {"id": channel_id})

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> ChannelRecord | None:
        for column in keys_of(ref):
            rows = await self.db.fetch(
                f"SELECT {_RECORD} FROM channels WHERE project_id = :project_id AND {column} = :ref "
                f"{self.d.lock if lock else ''}",
                {"project_id": project_id, "ref": ref},
            )
            if rows:
                return _record(rows[0])
        return None

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[ChannelRecord]:
        more = "" if after is None else " AND name > :after"
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM channels WHERE project_id = :project_id{more} ORDER BY name LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_record(row) for row in rows], limit, lambda one: one.name)

    async def count(self, project_id: str) -> int:
        (row,) = await self.db.fetch(
            "SELECT COUNT(*) AS n FROM channels WHERE project_id = :project_id", {"project_id": project_id}
        )
        return int(row["n"])

    async def known(self, project_id: str, names: Collection[str]) -> set[str]:
        return await self.known_names("channels", project_id, names)

    async def named_by(self, project_id: str, name: str, limit: int) -> list[str]:
        def names(spec: str) -> bool:
            return name in (load_object(spec).get("notify") or ())

        return [row["name"] for row in await jobs_that_name(self, project_id, '"notify"', names, limit)]

    async def using(self, project_id: str, secret: str) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM channels WHERE project_id = :project_id AND {self.d.holds('spec', 'word')} "
            "ORDER BY name",
            {"project_id": project_id, "word": secret},
        )
        found = map(_record, rows)
        return [one.name for one in found if one.spec and secret in one.spec.target.references().values()]

    async def listening(self, project_ids: Collection[str]) -> list[ChannelRecord]:
        if not project_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM channels WHERE {self.d.among('project_id', 'ids')} AND enabled = TRUE "
            f"ORDER BY id {self.d.lock}",
            {"ids": some(project_ids)},
        )
        return [_record(row) for row in rows]

    async def fill(self, levels: Mapping[str, float]) -> None:
        sql = _sql(self.d)
        await self.put(sql.fill, sql.fill_rows, sorted(levels.items()))

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[ChannelRecord]:
        more = "" if after is None else "AND id > :after "
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM channels WHERE sealed IS NOT NULL AND key_id <> :key_id {more}"
            "ORDER BY id LIMIT :limit",
            {"key_id": key_id, "after": after, "limit": limit},
        )
        return [_record(row) for row in rows]

    async def reseal(self, channel_id: str, old: SealedPart, new: SealedPart) -> bool:
        matched = await self.db.execute(
            "UPDATE channels SET sealed = :new, key_id = :key_id WHERE id = :id AND sealed = :old",
            {"new": new.text, "key_id": new.key_id, "id": channel_id, "old": old.text},
        )
        return matched > 0


def _values(channel: NewChannel, actor: str) -> tuple[Any, ...]:
    spec, sealed = channel.spec, channel.sealed
    document = {**spec.model_dump(mode="json", exclude={"target"}), "target": spec.target.public()}
    return (
        channel.name,
        spec.target.kind,
        channel.enabled,
        spec.wants_runs,
        dump(document),
        sealed.text if sealed else None,
        sealed.key_id if sealed else None,
        actor,
    )


def _record(row: Row) -> ChannelRecord:
    spec, fault = read_spec(load(row["spec"]))
    return ChannelRecord(
        id=row["id"],
        project_id=row["project_id"],
        name=row["name"],
        kind=row["kind"],
        enabled=bool(row["enabled"]),
        spec=spec,
        fault=fault,
        sealed=sealed_part(row),
        level=row["level"],
        level_at=row["level_at"],
        last_state=row["last_state"],
        last_at=row["last_at"],
        last_error=row["last_error"],
        created_by=row["created_by"],
        created_at=row["created_at"],
        updated_by=row["updated_by"],
        updated_at=row["updated_at"],
    )


def sealed_part(row: Row) -> SealedPart | None:
    return None if row["sealed"] is None else SealedPart(row["sealed"], row["key_id"] or "")
