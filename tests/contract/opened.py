"""A migrated database, opened as a process opens it; time moves by looking at the same database later."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from horae.clock import SystemClock
from horae.ports import Clock, Ids, Transaction
from horae.store import open_store
from horae.store.dialects.base import Connection
from horae.store.open import choose
from horae.store.store import SqlStore
from tests.contract.values import IDS


@dataclass
class Opened:
    """One process's view of a database: a store with its own connections and a clock that may be ahead."""

    kind: str
    url: str
    store: SqlStore
    project: str
    shift: float
    clock: Clock
    ids: Ids
    stack: AsyncExitStack
    plain: Connection  # for what no verb shows
    inline: bool = False

    @classmethod
    async def open(
        cls,
        url: str,
        stack: AsyncExitStack,
        *,
        shift: float = 0,
        clock: Clock | None = None,
        ids: Ids = IDS,
        inline: bool = False,
        connections: int = 4,
        plain: Connection | None = None,
    ) -> Self:
        clock = clock or SystemClock()
        store = await open_store(url, clock=clock, ids=ids, shift=shift, inline=inline, connections=connections)
        stack.push_async_callback(store.close)
        if plain is None:
            plain = await choose(url, clock.now, inline=inline)[1]()
            stack.push_async_callback(plain.close)
        project = await store.read(_default_project)
        return cls(url.partition(":")[0], url, store, project, shift, clock, ids, stack, plain, inline)

    async def later(self, **time: float) -> Self:
        """The same database, that much later; `later()` is another process at the same time."""
        return await type(self).open(
            self.url,
            self.stack,
            shift=self.shift + timedelta(**time).total_seconds(),
            clock=self.clock,
            ids=self.ids,
            inline=self.inline,
            plain=self.plain,
        )

    async def after(self, seconds: float) -> Self:
        """The same process, so much later."""
        await self.store.close()
        return await self.later(seconds=seconds)

    async def crowd(self, size: int) -> list[Self]:
        """So many processes at the same time."""
        return [await self.later() for _ in range(size)]

    async def now(self) -> datetime:
        return await self.store.read(_now)


async def _default_project(tx: Transaction) -> str:
    return (await tx.access.default_project()).id


async def _now(tx: Transaction) -> datetime:
    return await tx.now()
