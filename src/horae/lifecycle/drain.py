"""Drain: a worker finishes its runs and claims no more. It learns this from its next heartbeat, and stays up until it
is stopped."""

from __future__ import annotations

from horae.domain.cluster.process import WorkerRecord
from horae.domain.errors import Conflict, NotFound
from horae.ports import Transaction


async def drain(tx: Transaction, *, worker_id: str, actor: str, offline_after: float) -> WorkerRecord:
    worker = await _found(tx, worker_id, offline_after)
    if not worker.there:
        raise Conflict(f"the worker is {worker.status}")
    if worker.drain_requested_by is None:
        await tx.processes.request_drain(worker_id, actor)
        await tx.audit.add("worker.drain", actor=actor, project_id=None, id=worker_id, name=worker.name)
    return await _found(tx, worker_id, offline_after)


async def _found(tx: Transaction, worker_id: str, offline_after: float) -> WorkerRecord:
    for worker in await tx.processes.workers(offline_after):
        if worker.id == worker_id:
            return worker
    raise NotFound("there is no such worker")
