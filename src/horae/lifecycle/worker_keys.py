"""Worker keys: created, rotated and revoked by admins. What an agent holds when its key is revoked is recovered in the
same transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from horae.domain.errors import InvalidInput, NotFound
from horae.domain.people.audit import differing
from horae.domain.people.worker_key import WorkerKey, WorkerKeyRecord
from horae.lifecycle.recover import recover
from horae.lifecycle.reservations import project_ids
from horae.ports import Transaction


async def create_worker_key(tx: Transaction, *, key: WorkerKey) -> WorkerKeyRecord:
    bound = await project_ids(tx, key.projects)
    if key.expires_at is not None and key.expires_at <= await tx.now():
        raise InvalidInput("expires_at", "must be in the future")
    await tx.worker_keys.add(replace(key, project_ids=tuple(bound)))
    given = {name: list(getattr(key, name)) for name in ("projects", "queues", "capabilities") if getattr(key, name)}
    changes = differing({}, {**given, "worker_name": key.worker_name, "expires_at": key.expires_at})
    await tx.audit.add(
        "worker_key.create", actor=key.created_by, project_id=None, id=key.id, name=key.name, changes=changes
    )
    return await _found(tx, key.id)


async def rotate_worker_key(
    tx: Transaction, *, key_id: str, prefix: str, digest: str, overlap: float, actor: str
) -> WorkerKeyRecord:
    """Agents with the text before go on for `overlap` seconds."""
    found = await _found(tx, key_id, lock=True)
    await tx.worker_keys.rotate(found.id, prefix, digest, overlap)
    await tx.audit.add("worker_key.rotate", actor=actor, project_id=None, id=found.id, name=found.name)
    return await _found(tx, key_id)


async def revoke_worker_key(tx: Transaction, *, key_id: str, actor: str, chance: Callable[[], float]) -> int:
    """Returns how many runs were recovered."""
    found = await _found(tx, key_id, lock=True)
    workers = await tx.worker_keys.revoke(found.id)
    await tx.processes.mark_offline(workers)
    await tx.audit.add("worker_key.revoke", actor=actor, project_id=None, id=found.id, name=found.name)
    return await _recovered(tx, workers, chance)


async def _recovered(tx: Transaction, workers: Collection[str], chance: Callable[[], float]) -> int:
    return await recover(tx, chance=chance, dead_workers=workers) if workers else 0


async def _found(tx: Transaction, key_id: str, *, lock: bool = False) -> WorkerKeyRecord:
    found = await tx.worker_keys.find(key_id, lock=lock)
    if found is None:
        raise NotFound("there is no such worker key")
    return found
