"""What statements cost, without a clock: how much of its tables a database looked at. Pages of PostgreSQL, rows of
MySQL and MariaDB, steps of SQLite's machine; only costs of the same database can be compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from horae.store.dialects.base import Connection, Params, Row
from horae.store.open import choose
from horae.store.store import SqlStore
from tests.contract.world import World

_STEPS = 100


class Meter:
    """Counts for all connections that are opened through it."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.statements = 0
        self.round_trips: list[str] = []  # the statements, and what begins and ends transactions
        self.read = 0

    def on(self, connection: Any) -> Connection:
        if self._kind == "sqlite":
            connection._raw.set_progress_handler(self._step, _STEPS)
        metered = {"sqlite": _Counted, "postgresql": _Explained}.get(self._kind, _Handled)
        return metered(connection, self)

    def _step(self) -> None:
        self.read += 1


class _Counted:
    """A connection that says what it was asked."""

    def __init__(self, inner: Any, meter: Meter) -> None:
        self._inner, self._meter = inner, meter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        await self._before(sql, params)
        rows: Sequence[Row] = await self._inner.fetch(sql, params)
        await self._after()
        return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        await self._before(sql, params)
        matched: int = await self._inner.execute(sql, params)
        await self._after()
        return matched

    async def begin(self) -> None:
        self._meter.round_trips.append("BEGIN")
        await self._inner.begin()

    async def commit(self) -> None:
        self._meter.round_trips.append("COMMIT")
        await self._inner.commit()

    async def _before(self, sql: str, params: Params | None) -> None:
        self._meter.statements += 1
        self._meter.round_trips.append(sql)

    async def _after(self) -> None:
        return


class _Explained(_Counted):
    """PostgreSQL carries each statement out once more beforehand, and takes it back."""

    async def _before(self, sql: str, params: Params | None) -> None:
        await super()._before(sql, params)
        inside = self._inner._raw.is_in_transaction()
        await self._inner._raw.execute("SAVEPOINT metered" if inside else "BEGIN")
        (row,) = await self._inner.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
        await self._inner._raw.execute("ROLLBACK TO SAVEPOINT metered" if inside else "ROLLBACK")
        found = row["QUERY PLAN"]
        (plan,) = json.loads(found) if isinstance(found, str) else found
        self._meter.read += plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]


class _Handled(_Counted):
    """MySQL and MariaDB count the rows that they look at."""

    async def _before(self, sql: str, params: Params | None) -> None:
        await super()._before(sql, params)
        self._meter.read -= await self._rows()

    async def _after(self) -> None:
        self._meter.read += await self._rows()

    async def _rows(self) -> int:
        rows = await self._inner.fetch("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(row["Value"]) for row in rows)


async def metered(world: World) -> tuple[World, Meter]:
    """The same database through connections that count."""
    return await _through(world, (meter := Meter(world.kind)).on, 1), meter


async def counted(world: World, connections: int) -> tuple[World, Meter]:
    """The same, but only what was asked is counted, not what it cost: nothing else is sent."""
    meter = Meter(world.kind)
    return await _through(world, lambda connection: _Counted(connection, meter), connections), meter


async def _through(world: World, on: Callable[[Any], Any], connections: int) -> World:
    dialect, connect = choose(world.url, world.clock.now)[:2]

    async def open_metered() -> Connection:
        return on(await connect())

    store = SqlStore(open_metered, dialect, world.ids, shard_count=world.store.shard_count, connections=connections)
    world.stack.push_async_callback(store.close)
    return World(**{**vars(world), "store": store})
