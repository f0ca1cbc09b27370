"""One portion of the walk over what jobs leave behind; usually it only reads."""

from __future__ import annotations

from horae.domain.jobs.retention import Retention
from horae.lifecycle.retire import drop_versions, forget, look_over, retire_finished
from horae.ports import Store


async def retire(store: Store, keep: Retention, after: str, *, limit: int = 500) -> str | None:
    """The last job it has read; None when it has seen them all."""
    found = await store.read(look_over, keep=keep, after=after, limit=limit)
    if found.versions:
        await store.transact(drop_versions, versions=found.versions)
    for job_id in found.gone:
        while not await store.transact(forget, job_id=job_id, limit=limit):
            pass
    for project_id, job_id in found.finished:
        await store.transact(retire_finished, project_id=project_id, job_id=job_id, keep=keep)
    return found.through
