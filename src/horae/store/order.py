"""Keyset pagination: the order of a list, and where the next page starts. Every order ends in a unique column, so a
page that starts after a row starts there even if rows were added or removed in the meantime."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from horae.store.dialects.base import Row
from horae.store.rows import dump, load


@dataclass(frozen=True, slots=True)
class Order:
    """By a unique column, otherwise by a time and then by id; rows without a time come last."""

    column: str
    down: bool = False
    timed: bool = False

    @classmethod
    def parse(cls, sort: str) -> Order:
        """`name`, `-updated_at` …; ids are in order of creation."""
        down, name = sort.startswith("-"), sort.removeprefix("-")
        if name == "created_at":
            return cls("id", down)
        return cls(name, down, timed=name != "name")

    def by(self, alias: str) -> str:
        way = " DESC" if self.down else ""
        if not self.timed:
            return f"{alias}.{self.column}{way}"
        column = f"{alias}.{self.column}"
        return f"CASE WHEN {column} IS NULL THEN 1 ELSE 0 END, {column}{way}, {alias}.id{way}"

    def after(self, alias: str, cursor: str) -> tuple[str, dict[str, Any]]:
        """The condition for rows after the one that the cursor names."""
        beyond = "<" if self.down else ">"
        if not self.timed:
            return f"{alias}.{self.column} {beyond} :after", {"after": cursor}
        at, row_id = load(cursor)
        column, later = f"{alias}.{self.column}", f"{alias}.id {beyond} :after_id"
        if at is None:
            return f"({column} IS NULL AND {later})", {"after_id": row_id}
        condition = f"({column} {beyond} :after OR {column} IS NULL OR ({column} = :after AND {later}))"
        return condition, {"after": datetime.fromisoformat(at), "after_id": row_id}

    def cursor(self, row: Row) -> str:
        value = row[self.column]
        if not self.timed:
            return str(value)
        return dump([None if value is None else value.isoformat(), row["id"]])
