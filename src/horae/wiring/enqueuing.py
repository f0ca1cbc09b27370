"""The database for programs that enqueue without the API (api/enqueuing.py). The store has its own event loop, in a
thread, so that it serves both sync and async callers."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from horae import config
from horae.api.enqueuing import Enqueuing
from horae.ports import Wakeups
from horae.store.store import SqlStore
from horae.wiring.engines import close_engine
from horae.wiring.shared import CLOCK, IDS, defaults_of
from horae.wiring.sinks import SinkWatch
from horae.wiring.stores import store_for, wakeups_for

T = TypeVar("T")
Json = dict[str, Any]
_GOODBYE = 5.0  # seconds


class Database:
    """One database, for all threads and loops of a process."""

    def __init__(self, url: str) -> None:
        self.address = url
        self._settings = config.load()
        self._loop = asyncio.new_event_loop()
        self._opened: asyncio.Task[tuple[SqlStore, Wakeups]] | None = None
        self._sinks: SinkWatch | None = None
        threading.Thread(target=self._loop.run_forever, name="horae enqueue", daemon=True).start()
        atexit.register(self._end)

    def waiting(self) -> Straight:
        return Straight(self, waits=True)

    def awaited(self) -> Straight:
        return Straight(self, waits=False)

    async def do(self, work: Callable[[Enqueuing], Awaitable[T]], *, waits: bool) -> T:
        """Runs work on the store's loop."""
        future = asyncio.run_coroutine_threadsafe(self._do(work), self._loop)
        return future.result() if waits else await asyncio.wrap_future(future)

    async def _do(self, work: Callable[[Enqueuing], Awaitable[T]]) -> T:
        return await work(Enqueuing(await self._store(), IDS, CLOCK, defaults_of(self._settings)))

    async def _store(self) -> SqlStore:
        if self._opened is None or (self._opened.done() and self._opened.exception() is not None):
            self._opened = self._loop.create_task(self._open())
        return (await asyncio.shield(self._opened))[0]

    async def _open(self) -> tuple[SqlStore, Wakeups]:
        wakeups = wakeups_for(self._settings)
        store = await store_for(self._settings, wakeups, connections=2)
        self._sinks = SinkWatch(store)
        await store.learn()  # before the first run
        await wakeups.start((), lambda _: None)
        await self._sinks.start()
        return store, wakeups

    def _end(self) -> None:
        """Closes the connections to the database, if it is still there."""
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_GOODBYE)

    async def _close(self) -> None:
        if self._opened is not None:
            store, wakeups = await self._opened
            if self._sinks is not None:
                await self._sinks.close()
            await close_engine(store)
            await wakeups.close()
            await store.close()


class Straight:
    """A `Submitter` (sdk/enqueue.py), for sync and async callers."""

    def __init__(self, database: Database, *, waits: bool) -> None:
        self._database, self._waits = database, waits
        self.address = database.address

    async def job(self, name: str) -> Json:
        return await self._database.do(lambda api: api.job(name), waits=self._waits)

    async def create(self, definition: Json) -> Json:
        return await self._database.do(lambda api: api.create(definition), waits=self._waits)

    async def submit(self, name: str, runs: Sequence[Json], key: str | None, traceparent: str | None) -> list[Json]:
        return await self._database.do(lambda api: api.submit(name, runs, key, traceparent), waits=self._waits)
