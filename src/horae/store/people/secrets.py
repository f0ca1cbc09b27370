"""`secrets`: values that are encrypted before they get here and decrypted after they leave."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from horae.domain.pages import Page
from horae.domain.secrets.secret import Sealed, SecretRecord, SecretUser
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.jobs.job_list import spec_of
from horae.store.jobs.naming import jobs_that_name
from horae.store.rows import Group, batch
from horae.store.tables import accounts as account_tables

_RECORD = "name, created_by, created_at, updated_by, updated_at"
_SEALED = "s.project_id, s.name, s.sealed, s.key_id"


@cache
def _put(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.secrets, "project_id", "name", "sealed", "key_id", "created_by", "updated_by")
    insert = d.insert_from("secrets", rows, {"created_at": d.now, "updated_at": d.now})
    changed = dict.fromkeys(("sealed", "key_id", "updated_by", "updated_at"), "{new}")
    return d.upsert(insert, ["project_id", "name"], changed), rows


@cache
def _sealed(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.secrets, "project_id", "name")
    on = "s.project_id = v.project_id AND s.name = v.name"
    return f"SELECT {_SEALED} FROM {rows.sql} JOIN secrets s ON {on}", rows


class SecretTable(Group):
    async def save(self, sealed: Sealed, actor: str) -> None:
        sql, rows = _put(self.d)
        await self.put(sql, rows, [(sealed.project_id, sealed.name, sealed.text, sealed.key_id, actor, actor)])

    async def delete(self, project_id: str, name: str) -> None:
        await self.db.execute(
            "DELETE FROM secrets WHERE project_id = :project_id AND name = :name",
            {"project_id": project_id, "name": name},
        )

    async def find(self, project_id: str, name: str, *, lock: bool = False) -> SecretRecord | None:
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM secrets WHERE project_id = :project_id AND name = :name "
            f"{self.d.lock if lock else ''}",
            {"project_id": project_id, "name": name},
        )
        return _record(rows[0]) if rows else None

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[SecretRecord]:
        more = "" if after is None else " AND name > :after"
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM secrets WHERE project_id = :project_id{more} ORDER BY name LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_record(row) for row in rows], limit, lambda one: one.name)

    async def known(self, project_id: str, names: Collection[str]) -> set[str]:
        return await self.known_names("secrets", project_id, names)

    async def sealed(self, wanted: Collection[tuple[str, str]]) -> list[Sealed]:
        if not wanted:
            return []
        sql, rows = _sealed(self.d)
        return [_value(row) for row in await self.db.fetch(sql, self.d.rows_params(rows, sorted(wanted)))]

    async def named_by(self, project_id: str, name: str, limit: int) -> list[SecretUser]:
        def names(spec: str) -> bool:
            return name in spec_of(spec).target.secrets

        rows = await jobs_that_name(self, project_id, name, names, limit)
        return [SecretUser(row["id"], row["name"], bool(row["enabled"] and not row["paused"])) for row in rows]

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str]]:
        more = "" if after is None else "AND (s.project_id > :project OR (s.project_id = :project AND s.name > :name)) "
        project, name = after or (None, None)
        rows = await self.db.fetch(
            f"SELECT {_SEALED}, p.slug FROM secrets s JOIN projects p ON p.id = s.project_id "
            f"WHERE s.key_id <> :key_id {more}ORDER BY s.project_id, s.name LIMIT :limit",
            {"key_id": key_id, "project": project, "name": name, "limit": limit},
        )
        return [(_value(row), row["slug"]) for row in rows]

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        matched = await self.db.execute(
            "UPDATE secrets SET sealed = :new, key_id = :key_id "
            "WHERE project_id = :project_id AND name = :name AND sealed = :old",
            {
                "new": new.text,
                "key_id": new.key_id,
                "project_id": old.project_id,
                "name": old.name,
                "old": old.text,
            },
        )
        return matched > 0


def _record(row: Row) -> SecretRecord:
    return SecretRecord(row["name"], row["created_by"], row["created_at"], row["updated_by"], row["updated_at"])


def _value(row: Row) -> Sealed:
    return Sealed(row["project_id"], row["name"], row["sealed"], row["key_id"])
