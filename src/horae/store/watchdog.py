"""Watchdog for statements that get no answer. The server may be slow, or it may have died without closing the
connection, and its address may now belong to another server: only a new connection can find out. A statement that the
server does not list as executing is abandoned."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from horae.store.dialects.base import Connection
from horae.store.dialects.link import ServerLink
from horae.store.failures import Crowded, StoreRefused, StoreUnavailable

_LATE = 1.5  # seconds after which the server is queried
_TICK = 0.5
_ASKING = 5.0  # seconds for the answer, connecting included
_NOBODY: set[int] = set()  # the answer of a server that cannot be reached


class Watchdog:
    """Ticks while connections are lent, and only then."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]]) -> None:
        self._connect = connect
        self._lent: set[ServerLink] = set()
        self._vouched: dict[ServerLink, float] = {}  # until when it is not queried again
        self._unheard: dict[ServerLink, float] = {}  # statements about which one query went unanswered
        self._timer: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None

    def begin(self, connection: Connection) -> None:
        if isinstance(connection, ServerLink) and connection.number is not None:
            self._lent.add(connection)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(_TICK, self._tick)

    def end(self, connection: Connection) -> None:
        if isinstance(connection, ServerLink):
            self._lent.discard(connection)
            self._vouched.pop(connection, None)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_TICK, self._tick) if self._lent else None
        if self._asking is not None and not self._asking.done():
            return
        now = time.monotonic()
        late = {
            link: link.asked_at
            for link in self._lent
            if link.asked_at is not None and link.asked_at + _LATE < now and self._vouched.get(link, now) <= now
        }
        if late:
            self._asking = asyncio.get_running_loop().create_task(self._ask(late))

    async def _ask(self, late: dict[ServerLink, float]) -> None:
        at_work = await self._at_work({link.number for link in late if link.number is not None})
        if at_work is None:
            return
        unheard, self._unheard = self._unheard, {}
        for link, asked_at in late.items():
            if link.asked_at != asked_at:
                continue  # answered meanwhile
            if link.number in at_work:
                self._vouched[link] = time.monotonic() + _LATE
            elif at_work is _NOBODY and unheard.get(link) != asked_at:
                self._unheard[link] = asked_at  # it may just be slow: retry once
            else:
                link.give_up()

    async def _at_work(self, numbers: set[int]) -> set[int] | None:
        """None if unknown."""
        try:
            async with asyncio.timeout(_ASKING):
                connection = await self._connect()
                assert isinstance(connection, ServerLink)
                try:
                    return await connection.at_work(numbers)
                finally:
                    await connection.close()
        except (Crowded, StoreRefused):
            return None
        except (StoreUnavailable, TimeoutError):
            return _NOBODY
