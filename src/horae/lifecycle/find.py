"""Finding a job for a verb, or saying that there is none."""

from __future__ import annotations

from horae.domain.errors import NotFound
from horae.domain.records import JobRecord
from horae.ports import Transaction


async def found(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    return _there(await tx.jobs.find(project_id, ref), ref)


async def locked(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    """To change it: nobody else reads it for that, or fires it, until the transaction ends."""
    return _there(await tx.jobs.find(project_id, ref, lock=True), ref)


def _there(job: JobRecord | None, ref: str) -> JobRecord:
    if job is None:
        raise NotFound(f"there is no job {ref!r}")
    return job
