"""A copy of the tables that the oracle watches, kept up to date with each commit: before and after of every row that a
transaction changed."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from tests.simulation.connection import Change
from tests.simulation.database import COLUMNS, KEYS

if TYPE_CHECKING:
    from tests.simulation.process import Process

Row = dict[str, Any]


@dataclass
class Step:
    """One committed transaction."""

    process: Process
    verb: str
    began: datetime  # since when it was the one that writes
    now: datetime
    before: dict[Change, Row | None] = field(default_factory=dict)
    after: dict[Change, Row | None] = field(default_factory=dict)

    def of(self, table: str) -> Iterator[tuple[str, Row | None, Row | None]]:
        for place, row in self.after.items():
            if place[0] == table:
                yield place[1], self.before[place], row

    def new(self, table: str) -> Iterator[Row]:
        for _, before, after in self.of(table):
            if before is None and after is not None:
                yield after


class Mirror:
    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw
        self.tables: dict[str, dict[str, Row]] = {table: {} for table in KEYS}
        self.live: dict[str, dict[str, Row]] = defaultdict(dict)  # by job
        self.earlier: dict[str, dict[str, Row]] = {}  # the same before the last step, of the jobs that it touched
        for table in KEYS:
            self.tables[table] = self._read(table, None)

    def read(self, step: Step, changed: Sequence[Change]) -> None:
        """What the transaction did; the copy is as the database is now."""
        keys: dict[str, list[str]] = {}
        for table, key in changed:
            keys.setdefault(table, []).append(key)
        self.earlier = {}
        for table, wanted in keys.items():
            found = self._read(table, wanted)
            mine = self.tables[table]
            for key in wanted:
                before, after = mine.get(key), found.get(key)
                step.before[table, key], step.after[table, key] = before, after
                self._put(table, key, before, after)

    def _put(self, table: str, key: str, before: Row | None, after: Row | None) -> None:
        if after is None:
            self.tables[table].pop(key, None)
        else:
            self.tables[table][key] = after
        if table == "runs":
            job_id = (before or after or {})["job_id"]
            live = self.live[job_id]
            self.earlier.setdefault(job_id, dict(live))
            if after is None:
                live.pop(key, None)
            else:
                live[key] = after

    def _read(self, table: str, keys: list[str] | None) -> dict[str, Row]:
        key = KEYS[table].format(row=table)
        sql, params = f"SELECT {key} AS simulation_key, {COLUMNS.get(table, '*')} FROM {table}", ()
        if keys is not None:
            sql += f" WHERE {key} IN (SELECT value FROM json_each(?))"
            params = (orjson.dumps(keys).decode(),)  # type: ignore[assignment]
        found: dict[str, Row] = {}
        for row in self._raw.execute(sql, params).fetchall():
            values = dict(row)
            found[values.pop("simulation_key")] = values
        return found

    def differing(self) -> list[Change]:
        """Where the database is not as its commits said."""
        wrong: list[Change] = []
        for table, mine in self.tables.items():
            there = self._read(table, None)
            wrong += [(table, key) for key in mine.keys() | there.keys() if mine.get(key) != there.get(key)]
        return sorted(wrong)
