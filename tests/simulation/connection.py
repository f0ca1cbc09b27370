"""A connection of a simulated process to the one database: SQLite run inline, with faults before each statement, and
SQLite's single writer waited for in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any

from horae.domain.cluster.meters import Histogram
from horae.store.dialects.base import Params, Row
from horae.store.dialects.sqlite import BUSY_TIMEOUT, SqliteConnection, _micros
from horae.store.failures import ConnectionLost, TryAgain
from tests.simulation.loop import pause
from tests.simulation.rewrites import rewritten

if TYPE_CHECKING:
    from tests.simulation.process import Process

VERB: ContextVar[str] = ContextVar("verb", default="connect")
Change = tuple[str, str]
"""A table, and the key of a row of it that was inserted, changed or deleted."""


class WriteLock:
    """Who writes. The others poll, as SQLite's busy handler does: who comes next is a matter of luck."""

    def __init__(self) -> None:
        self.owner: SimulatedConnection | None = None
        self._waiting: list[asyncio.Future[None]] = []

    async def acquire(self, connection: SimulatedConnection) -> None:
        if self._taken(connection):
            return
        try:
            async with asyncio.timeout(BUSY_TIMEOUT):
                while not self._taken(connection):
                    turn = asyncio.get_running_loop().create_future()
                    self._waiting.append(turn)
                    await turn
        except TimeoutError:
            raise TryAgain("database is locked") from None

    def _taken(self, connection: SimulatedConnection) -> bool:
        if self.owner is not None:
            return False
        self.owner = connection
        return True

    def release(self, connection: SimulatedConnection) -> None:
        if self.owner is connection:
            self.owner = None
            waiting, self._waiting = self._waiting, []
            for turn in waiting:
                if not turn.done():
                    turn.set_result(None)


class Wire(SqliteConnection):
    """To the database itself. The process after its holder takes it over, with its statements parsed and its schema
    read: both cost more than everything that a process does in its short life."""

    holder: SimulatedConnection

    def _connect(self) -> None:
        if hasattr(self, "_raw"):
            return
        super()._connect()
        self._raw.execute("PRAGMA busy_timeout = 0")
        self._raw.create_function("simulation_saw", 2, self._saw)
        self._raw.create_function("simulation_local_now", 0, lambda: _micros(self.holder.process.clock.now()))

    def _saw(self, table: str, key: str) -> None:
        self.holder.changed[table, key] = None


class Wires:
    """Of one world."""

    def __init__(self, database: str, now: Callable[[], datetime]) -> None:
        self._database, self._now = database, now
        self._idle: list[Wire] = []

    def take(self, holder: SimulatedConnection) -> Wire:
        wire = self._idle.pop() if self._idle else Wire(self._database, self._now, inline=True)
        wire.holder = holder
        return wire

    def give_back(self, wire: Wire) -> None:
        wire._beginning = False
        if wire.broken:
            wire._raw.close()
        else:
            self._idle.append(wire)

    def close(self) -> None:
        for wire in self._idle:
            wire._raw.close()


class SimulatedConnection:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.broken = False
        self.seconds: Histogram | None = None
        self._world = process.world
        self._inner: Wire  # while it is open
        self._beginning = self._writing = False
        self._began: datetime  # since when it writes
        self.changed: dict[Change, None] = {}

    async def open(self) -> SimulatedConnection:
        await self._point(commit=False)
        self._inner = self._world.wires.take(self)
        await self._inner.open()
        self.process.connections[self] = None
        return self

    # What the store asks of a connection

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        await self._before()
        return await self._inner.fetch(rewritten(sql), params)

    async def execute(self, sql: str, params: Params | None = None) -> int:
        await self._before()
        return await self._inner.execute(rewritten(sql), params)

    async def begin(self) -> None:
        self._beginning = True
        await self._inner.begin()

    async def commit(self) -> None:
        if self._writing:
            try:
                await self._point(commit=True)
            except asyncio.CancelledError:
                if self.process.chance.random() < 0.5:  # the driver's thread goes on with it
                    await self._commit()
                raise
        await self._commit()

    async def _commit(self) -> None:
        lost = self._lost
        self._lost = None
        await self._inner.commit()
        self._end(committed=True)
        if lost == "crash":
            await self.process.die("crash after its commit")
        if lost is not None:
            self._break()
            raise ConnectionLost("the reply to COMMIT was lost")

    async def rollback(self) -> None:
        await self._inner.rollback()
        self._end(committed=False)

    async def close(self) -> None:
        self.process.connections.pop(self, None)
        self.drop()

    # What may happen on the way

    _lost: str | None = None

    async def _before(self) -> None:
        await self._point(commit=False)
        if self._beginning:
            await self._guarded(self._world.lock.acquire(self))
            self._beginning, self._writing, self._began = False, True, self._world.now()

    async def _guarded(self, wait: Any) -> None:
        try:
            await wait
        except asyncio.CancelledError:
            self.broken = True
            raise

    async def _point(self, *, commit: bool) -> None:
        process = self.process
        if self.broken:
            raise ConnectionLost("the connection is broken")
        fault, latency = process.draw(commit=commit)
        await self._guarded(pause(latency))
        if fault is None:
            return
        kind = fault.kind
        if commit and kind in ("crash", "lost reply") and (kind == "lost reply" or fault.seconds < 0.5):
            self._lost = kind  # after it took effect
            self._world.trace.fault(process.name, f"{kind} (after the commit of {VERB.get()})", fault.key)
            return
        self._world.trace.fault(process.name, f"{kind} (in {VERB.get()})", fault.key)
        if kind in ("fail", "lost reply"):
            self._break()
            raise ConnectionLost("the connection broke")
        if kind == "busy":
            raise TryAgain("database is locked")
        await self._guarded(process.suffer(fault))

    def _break(self) -> None:
        """The server notices, and rolls back."""
        self.broken = True
        if hasattr(self, "_inner") and not self._inner.broken and self._inner._raw.in_transaction:
            self._inner._raw.rollback()
        self._end(committed=False)

    def _end(self, *, committed: bool) -> None:
        wrote, self._writing, self._beginning = self._writing, False, False
        changed, self.changed = list(self.changed), {}
        self._world.lock.release(self)
        if not wrote:
            return
        if committed and changed:
            self._world.committed(self.process, VERB.get(), self._began, changed)
        elif changed:
            self._world.trace.rolled_back(self.process.name, VERB.get(), changed)

    def drop(self) -> None:
        """No one uses it any more, perhaps because its process is dead."""
        self._break()
        if hasattr(self, "_inner"):
            self._world.wires.give_back(self._inner)
            del self._inner  # it is someone else's from now on
