"""Queues: nothing of a paused one is claimed. What runs already goes on, and what is queued waits. Those that nothing
names any more are forgotten."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from horae.domain.difference import Change
from horae.domain.errors import NotFound
from horae.domain.queue import QueueRecord
from horae.ports import Transaction

DEFAULT = "default"
RETENTION = 2 * 3600.0  # how long a queue stays that nothing names; longer than any request that names it takes


async def list_queues(tx: Transaction, project_id: str, *, of_all: bool = True) -> list[QueueRecord]:
    """Those that some project's jobs name, or only this one's: a name may tell what others are about."""
    found = await tx.queues.all(project_id)
    reserved = await tx.reservations.projects([queue.name for queue in found])
    if not of_all:
        own = await tx.queues.named_in(project_id) | {DEFAULT}
        found = [queue for queue in found if queue.name in own or project_id in reserved.get(queue.name, {})]
    return [replace(queue, projects=tuple(reserved.get(queue.name, {}).values())) for queue in found]


async def pause_queue(tx: Transaction, *, project_id: str, name: str, actor: str) -> QueueRecord:
    queue = await _locked(tx, project_id, name)
    if queue.paused_at is None:
        await tx.queues.pause(name, actor)
        await _tell(tx, "queue.pause", name, actor, paused=True)
    return await _found(tx, project_id, name)


async def resume_queue(tx: Transaction, *, project_id: str, name: str, actor: str) -> QueueRecord:
    queue = await _locked(tx, project_id, name)
    if queue.paused_at is not None:
        await tx.queues.resume(name)
        await _tell(tx, "queue.resume", name, actor, paused=False)
        tx.hint(f"runs:{name}")
    return await _found(tx, project_id, name)


async def unused_queues(tx: Transaction) -> list[str]:
    """Those that no job and no run has named for hours, and that nobody paused."""
    return await tx.queues.unused(RETENTION)


async def forget_queues(tx: Transaction, *, names: Collection[str]) -> int:
    """But none that a job has named meanwhile."""
    return await tx.queues.forget(names, RETENTION)


async def _tell(tx: Transaction, action: str, name: str, actor: str, *, paused: bool) -> None:
    changes = [Change("paused", not paused, paused)]
    await tx.audit.add(action, actor=actor, project_id=None, name=name, changes=changes)


async def _locked(tx: Transaction, project_id: str, name: str) -> QueueRecord:
    return _there(await tx.queues.find(project_id, name, lock=True))


async def _found(tx: Transaction, project_id: str, name: str) -> QueueRecord:
    return _there(await tx.queues.find(project_id, name))


def _there(queue: QueueRecord | None) -> QueueRecord:
    if queue is None:
        raise NotFound("no job names such a queue")
    return queue
