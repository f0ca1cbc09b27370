"""The connection pool, and the semaphore with a timeout in front of it. The connection returned last is lent next,
since its statements are already prepared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Histogram, Meters
from horae.store.dialects.base import Connection
from horae.store.failures import StoreUnavailable
from horae.store.watchdog import Watchdog


class PatientSemaphore:
    """A context manager: one of a few permits, granted in order. `patience` are the seconds to wait for one, None for
    as long as it takes."""

    def __init__(self, count: int, patience: float | None, taken: str) -> None:
        self._free = asyncio.Semaphore(count)
        self._patience, self._taken = patience, taken

    async def __aenter__(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        try:
            async with asyncio.timeout(self._patience):
                await self._free.acquire()
        except TimeoutError:
            raise StoreUnavailable(self._taken) from None

    async def __aexit__(self, *_: object) -> None:
        self._free.release()


class ConnectionPool:
    """Lends at most `size` connections, opened on demand; a broken one is closed and not lent again."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int, patience: float | None = None) -> None:
        self._connect = connect
        self._free: list[Connection] = []
        self._turn = PatientSemaphore(size, patience, f"all {size} connections to the database are in use")
        self._one_by_one = asyncio.Lock()
        self._failure: StoreUnavailable | None = None
        self._failed_at = 0.0
        self._watchdog = Watchdog(connect)
        self._closed = False
        self._lent = 0
        self._waits: Histogram | None = None
        self._statements: Histogram | None = None

    def measure(self, meters: Meters) -> None:
        self._waits = meters.histogram(metrics.CONNECTION_WAIT)
        self._statements = meters.histogram(metrics.STATEMENT_SECONDS)
        for connection in self._free:
            connection.seconds = self._statements
        meters.gauge(metrics.CONNECTIONS, lambda: {("idle",): len(self._free), ("busy",): self._lent})

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        came = time.monotonic()
        async with self._turn:
            connection = self._free.pop() if self._free else await self._opened(came)
            if self._waits is not None:
                self._waits.observe(time.monotonic() - came)
            self._lent += 1
            self._watchdog.begin(connection)
            try:
                yield connection
            finally:
                self._lent -= 1
                self._watchdog.end(connection)
                if connection.broken or self._closed:
                    await connection.close()
                else:
                    self._free.append(connection)

    async def _opened(self, came: float) -> Connection:
        """While the database is down, only one task tries to connect, and all waiting tasks share its failure: no
        task waits for long, and the database is not flooded when it comes back."""
        if self._failure is None:
            return await self._try()
        async with self._one_by_one:
            self._raise_since(came)
            return await self._try()

    def _raise_since(self, came: float) -> None:
        if self._failure is not None and self._failed_at > came:
            raise type(self._failure)(str(self._failure))

    async def _try(self) -> Connection:
        try:
            connection = await self._connect()
        except StoreUnavailable as error:
            self._failure, self._failed_at = error, time.monotonic()
            raise
        self._failure = None
        connection.seconds = self._statements
        return connection

    async def discard_idle(self) -> None:
        """Discards idle connections: after one broke, the others may be dead as well."""
        idle, self._free = self._free, []
        for connection in idle:
            connection.broken = True  # without a proper close: the server may not respond
            await connection.close()

    async def close(self) -> None:
        self._closed = True
        idle, self._free = self._free, []
        for connection in idle:
            await connection.close()
        await self._watchdog.close()
