"""A world that records its statements: for tests that limit how many there may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from horae.store.dialects.base import Connection, Params, Row
from horae.store.open import choose
from horae.store.store import SqlStore
from tests.contract.world import World


@dataclass
class Notes:
    statements: list[str] = field(default_factory=list)
    rows: int = 0  # that were fetched

    def clear(self) -> None:
        self.statements.clear()
        self.rows = 0


class Noting:
    """A connection that writes down what it is asked, and how many rows came back."""

    def __init__(self, db: Connection, notes: Notes) -> None:
        self._db, self._notes = db, notes

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        self._notes.statements.append(sql)
        rows = await self._db.fetch(sql, params)
        self._notes.rows += len(rows)
        return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        self._notes.statements.append(sql)
        return await self._db.execute(sql, params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


async def noted(world: World) -> tuple[World, Notes]:
    """Another process at the same time, and what it asks of the database from now on."""
    notes, connect = Notes(), choose(world.url, world.clock.now)[1]

    async def noting() -> Connection:
        made: Any = Noting(await connect(), notes)
        return made

    store = SqlStore(noting, world.store.dialect, world.ids, shard_count=world.store.shard_count, connections=2)
    world.stack.push_async_callback(store.close)
    return replace(world, store=store), notes
