"""Helpers that every table group uses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from sqlalchemy import Table

from horae.domain.text.ids import is_id
from horae.ports import History
from horae.store.aftermath import Aftermath
from horae.store.dialects.base import Connection, Dialect, Row, Rows
from horae.store.dialects.months import SKEW, smallest_id
from horae.store.tables.columns import Json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    T = TypeVar("T", bound=DataclassInstance)


class Group:
    """A group of tables on one connection."""

    def __init__(self, db: Connection, dialect: Dialect) -> None:
        self.db = db
        self.d = dialect

    async def put(self, sql: str, rows: Rows, values: Sequence[Sequence[Any]], **params: Any) -> int:
        return await put(self.db, self.d, sql, rows, values, **params)

    async def known_names(self, table: str, project_id: str, names: Collection[str]) -> set[str]:
        """Those of the names that the table has in this project, locked so that they stay."""
        if not names:
            return set()
        rows = await self.db.fetch(
            f"SELECT name FROM {table} WHERE project_id = :project_id AND {self.d.among('name', 'names')} "
            f"ORDER BY name {self.d.lock_shared}",
            {"project_id": project_id, "names": some(names)},
        )
        return {row["name"] for row in rows}

    async def id_before(self, seconds: float) -> str:
        """The smallest id created `seconds` ago: ids begin with their time, so it bounds a scan."""
        return smallest_id(await self.d.read_now(self.db) - timedelta(seconds=seconds))

    async def delete_old(self, table: str, column: str, older_than: float, limit: int, only: str = "TRUE") -> int:
        """Deletes the oldest rows whose `column` is older than that many seconds, found by id; returns how many."""
        before = await self.id_before(older_than - SKEW.total_seconds())
        rows = await self.db.fetch(
            f"SELECT id FROM {table} WHERE id < :before AND {column} < {self.d.earlier(':older_than')} AND {only} "
            "ORDER BY id LIMIT :limit",
            {"older_than": older_than, "before": before, "limit": limit},
        )
        ids = [row["id"] for row in rows]
        if ids:
            await self.db.execute(f"DELETE FROM {table} WHERE {self.d.among('id', 'ids')}", {"ids": ids})
        return len(ids)


class Telling(Group):
    """A group whose changes are announced after the commit."""

    def __init__(self, db: Connection, dialect: Dialect, after: Aftermath) -> None:
        super().__init__(db, dialect)
        self.after = after


class Reading(Group):
    """A group that reads ended runs too."""

    def __init__(self, db: Connection, dialect: Dialect, history: History) -> None:
        super().__init__(db, dialect)
        self.history = history


async def put(db: Connection, d: Dialect, sql: str, rows: Rows, values: Sequence[Sequence[Any]], **params: Any) -> int:
    """Executes a batch statement; an empty batch executes nothing."""
    if not values:
        return 0
    return await db.execute(sql, {**d.rows_params(rows, values), **params})


def batch(dialect: Dialect, table: Table, *columns: str, alias: str = "v") -> Rows:
    return dialect.rows(alias, table, columns)


def keys_of(ref: str) -> tuple[str, ...]:
    """The columns by which a job is found: its id, if it can be one (PostgreSQL compares ids with nothing else), then
    its name."""
    return ("id", "name") if is_id(ref) else ("name",)


def words(text: str) -> tuple[str, ...]:
    """A list of columns."""
    return tuple(text.split())


def dump(value: Any) -> str:
    return orjson.dumps(value).decode()


def load(text: str | None) -> Any:
    """None for invalid JSON too: one damaged row must not break a whole list."""
    try:
        return None if text is None else orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def load_object(text: str | None) -> dict[str, Any]:
    """Likewise for an object; an empty one stands for anything else."""
    found = load(text)
    return found if isinstance(found, dict) else {}


def load_list(text: str | None) -> list[Any]:
    found = load(text)
    return found if isinstance(found, list) else []


def stored(table: Table, column: str, value: Any) -> Any:
    """A value in the form its column accepts. An empty document is stored as missing, if that is allowed."""
    if table.columns[column].type is not Json:
        return value
    return None if table.columns[column].nullable and not value else dump(value)


def read(record: type[T], row: Row, **given: Any) -> T:
    """A record from a row, by field name; `given` are those that the row does not have in that form."""
    names = (field.name for field in fields(record))
    return record(**{name: given[name] if name in given else row[name] for name in names})


def some(values: Collection[Any]) -> list[Any]:
    """A list parameter. It is never empty: callers then answer without a query."""
    return list(values)
