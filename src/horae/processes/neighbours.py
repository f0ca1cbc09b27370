"""Failure detection on one host: processes watch each other, and if a worker is certainly dead, its runs need not wait
for their leases."""

from __future__ import annotations

from collections.abc import Callable, Collection

from horae.domain.cluster.process import Host
from horae.ports import Clock, Controller
from horae.processes.loop import log

_LOOK = 0.5

IsDead = Callable[[Host, Host], bool]
"""Whether a process is certainly gone, as seen from another."""


def among_the_dead(neighbours: Collection[tuple[str, Host]], me: Host, is_dead: IsDead) -> list[str]:
    """Workers on this host whose processes are gone."""
    return [worker_id for worker_id, host in neighbours if is_dead(host, me)]


class NeighbourWatch:
    """Reads the process table often and the database rarely: the former costs the database nothing, and a dead worker
    is noticed immediately."""

    def __init__(self, controller: Controller, me: Host, clock: Clock, *, ask_every: float, is_dead: IsDead) -> None:
        self._controller, self._me, self._clock = controller, me, clock
        self._ask_every, self._is_dead = ask_every, is_dead
        self._ask_at = 0.0
        self._known: list[tuple[str, Host]] = []

    def ask(self) -> None:
        """A new neighbour has appeared."""
        self._ask_at = 0.0

    async def look(self) -> float:
        now = self._clock.monotonic()
        if now >= self._ask_at:
            self._known = await self._controller.neighbours(self._me.key)
            self._ask_at = now + self._ask_every
        dead = among_the_dead(self._known, self._me, self._is_dead)
        if dead:
            log_recovered(await self._controller.recover(dead))
            self._ask_at = 0.0
        return min(_LOOK, self._ask_every)


def log_recovered(lost: int) -> None:
    if lost:
        log.warning("recovered runs: their worker was lost, or their callback did not come", runs=lost)
