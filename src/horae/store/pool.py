"""A few connections, shared. The last one returned is the next one lent, so that its statements are prepared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from horae.store.dialects.base import Connection


class Pool:
    """Lends at most `size` connections, made when first needed; a broken one is closed and not lent again."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._free: list[Connection] = []
        self._turn = asyncio.Semaphore(size)
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        async with self._turn:
            connection = self._free.pop() if self._free else await self._connect()
            try:
                yield connection
            finally:
                if connection.broken or self._closed:
                    await connection.close()
                else:
                    self._free.append(connection)

    async def discard_idle(self) -> None:
        """Closes what is idle: after one connection broke, the others may be dead as well."""
        idle, self._free = self._free, []
        for connection in idle:
            await connection.close()

    async def close(self) -> None:
        self._closed = True
        await self.discard_idle()
