"""Two transactions on a real server, statement by statement, in an order that a seed chooses. What only several writers
can show is shown here: a lock that is missing, or taken in the wrong order."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from horae.domain.cluster.meters import Histogram
from horae.store.dialects.base import Connection, Dialect, Params, Row
from horae.store.dialects.link import ServerLink
from horae.store.store import SqlStore
from tests.contract.world import IDS
from tests.simulation.rewrites import rewritten
from tests.waiting import until

_WAITS = {
    "postgresql": "SELECT count(*) AS n FROM pg_locks WHERE pid = :number AND NOT granted",
    "mysql": "SELECT count(*) AS n FROM information_schema.innodb_trx "
    "WHERE trx_mysql_thread_id = :number AND trx_state = 'LOCK WAIT'",
}
_GAPS = {"postgresql": 0.0, "mysql": 0.12}  # InnoDB repeats its answer to queries within a tenth of a second


class Party:
    """One who has something to do; each of its statements waits for its turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asking: asyncio.Future[None] | None = None
        self.number: int | None = None  # the server's own, of the connection in use
        self.done = False

    async def turn(self) -> None:
        self.asking = asyncio.get_running_loop().create_future()
        await self.asking

    @property
    def busy(self) -> bool:
        return not self.done and self.asking is None


class Stepped:
    """A connection that does one thing at a time, on demand."""

    def __init__(self, inner: Connection, party: Party) -> None:
        assert isinstance(inner, ServerLink)
        self._inner: Any = inner
        self._party = party
        party.number = inner.number

    @property
    def broken(self) -> bool:
        return bool(self._inner.broken)

    @broken.setter
    def broken(self, value: bool) -> None:
        self._inner.broken = value

    seconds: Histogram | None = None

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        await self._party.turn()
        found: Sequence[Row] = await self._inner.fetch(rewritten(sql), params)
        return found

    async def execute(self, sql: str, params: Params | None = None) -> int:
        await self._party.turn()
        return int(await self._inner.execute(rewritten(sql), params))

    async def begin(self) -> None:
        await self._inner.begin()

    async def commit(self) -> None:
        await self._party.turn()
        await self._inner.commit()

    async def rollback(self) -> None:
        await self._inner.rollback()

    async def close(self) -> None:
        await self._inner.close()


def stepped_store(connect: Callable[[], Awaitable[Connection]], dialect: Dialect, party: Party) -> SqlStore:
    async def wrapped() -> Connection:
        return Stepped(await connect(), party)

    return SqlStore(wrapped, dialect, IDS, shard_count=64, connections=1)


async def play(
    parties: dict[Party, Awaitable[Any]], chance: random.Random, watcher: Connection, kind: str
) -> list[Any]:
    """Lets them act, one statement at a time, until all are done; their results, or what they raised. One that waits
    for another's lock, as the server says, is passed over until it is given."""
    tasks = [asyncio.ensure_future(_act(party, work)) for party, work in parties.items()]
    waiting: set[Party] = set()
    ask_at, vain = 0.0, 0

    async def settled() -> bool:
        """No one is at it but those who wait for a lock."""
        nonlocal ask_at, vain
        if not any(party.busy for party in parties):
            return True
        if time.monotonic() < ask_at:
            return False
        # Another test may ask the same server: two that keep step would never get a new answer.
        ask_at = time.monotonic() + _GAPS[kind] * (1 + vain * random.random())
        waiting.clear()
        for party in parties:
            if party.busy and party.number is not None:
                (row,) = await watcher.fetch(_WAITS[kind], {"number": party.number})
                if row["n"] and party.busy:
                    waiting.add(party)
        moving = any(party.busy and party not in waiting for party in parties)
        vain = min(vain + 1, 3) if moving else 0
        return not moving

    look: Callable[[], bool | Awaitable[bool]] = settled
    while not all(party.done for party in parties):
        await until(look, timeout=60, every=0.002)
        ready = [party for party in parties if party.asking is not None]
        if ready:
            chosen = chance.choice(ready)
            turn, chosen.asking = chosen.asking, None
            assert turn is not None
            turn.set_result(None)
    return list(await asyncio.gather(*tasks, return_exceptions=True))


async def _act(party: Party, work: Awaitable[Any]) -> Any:
    try:
        return await work
    finally:
        party.done = True
