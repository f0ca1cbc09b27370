"""Failure detection on one host: processes watch each other, and if a worker is certainly dead, its runs need not wait
for their leases."""

from __future__ import annotations

from collections.abc import Callable

from horae.domain.cluster.process import Host
from horae.lifecycle.recover import recover
from horae.ports import Clock, Ids, Store
from horae.processes.loop import log

_LOOK = 0.5

IsDead = Callable[[Host, Host], bool]
"""Whether a process is certainly gone, as seen from another."""


async def dead_neighbours(store: Store, me: Host, is_dead: IsDead) -> list[str]:
    """Workers on this host whose processes are gone."""
    neighbours = await store.read(lambda tx: tx.processes.neighbours(me.key))
    return [worker_id for worker_id, host in neighbours if is_dead(host, me)]


class NeighbourWatch:
    """Reads the process table often and the database rarely: the former costs the database nothing, and a dead worker
    is noticed immediately."""

    def __init__(self, store: Store, me: Host, ids: Ids, clock: Clock, *, ask_every: float, is_dead: IsDead) -> None:
        self._store, self._me, self._ids, self._clock = store, me, ids, clock
        self._ask_every, self._is_dead = ask_every, is_dead
        self._ask_at = 0.0
        self._known: list[tuple[str, Host]] = []

    def ask(self) -> None:
        """A new neighbour has appeared."""
        self._ask_at = 0.0

    async def look(self) -> float:
        now = self._clock.monotonic()
        if now >= self._ask_at:
            self._known = await self._store.read(lambda tx: tx.processes.neighbours(self._me.key))
            self._ask_at = now + self._ask_every
        dead = [worker_id for worker_id, host in self._known if self._is_dead(host, self._me)]
        if dead:
            await recover_lost(self._store, self._ids, dead)
            self._ask_at = 0.0
        return min(_LOOK, self._ask_every)


async def recover_lost(store: Store, ids: Ids, dead: list[str]) -> int:
    """Recovers runs from workers that are dead or let their leases expire; returns how many."""
    lost = await store.transact(recover, chance=ids.chance, dead_workers=dead)
    if lost:
        log.warning("recovered runs: their worker was lost, or their callback did not come", runs=lost)
    return lost
