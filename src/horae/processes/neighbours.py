"""Processes of one host watch each other: when a worker is surely dead, its runs need not wait for their leases."""

from __future__ import annotations

from collections.abc import Callable

from horae.domain.records import Host
from horae.lifecycle.recover import recover
from horae.ports import Ids, Store, Transaction
from horae.processes.loop import log

IsDead = Callable[[Host, Host], bool]
"""Whether a process is surely gone, as seen from another."""


async def dead_neighbours(store: Store, me: Host, is_dead: IsDead) -> list[str]:
    """Workers of this very host whose processes are gone."""
    neighbours = await store.read(_neighbours, me)
    return [worker_id for worker_id, host in neighbours if is_dead(host, me)]


async def recover_neighbours(store: Store, me: Host, ids: Ids, is_dead: IsDead) -> None:
    dead = await dead_neighbours(store, me, is_dead)
    if dead:
        await recover_lost(store, ids, dead)


async def recover_lost(store: Store, ids: Ids, dead: list[str]) -> int:
    """Takes runs from workers that are dead or let their leases run out; how many."""
    lost = await store.transact(recover, chance=ids.chance, dead_workers=dead)
    if lost:
        log.warning("recovered runs: their worker was lost, or their callback did not come", runs=lost)
    return lost


async def _neighbours(tx: Transaction, me: Host) -> list[tuple[str, Host]]:
    return await tx.processes.neighbours(me.key)
