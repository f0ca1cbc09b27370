"""Retire: deletes what jobs leave behind once nothing refers to it. Schedulers walk over all jobs in batches:
`look_over` reads, and only if it found something does anything else write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from horae.domain.errors import Conflict
from horae.domain.jobs.retention import Retention
from horae.lifecycle.submit import delete_job
from horae.ports import Transaction

ACTOR = "system:retention"


@dataclass(frozen=True, slots=True)
class JobLeftovers:
    """What a batch of jobs has left behind; `through` is the last of them, None at the end."""

    through: str | None
    gone: Sequence[str] = ()
    versions: Mapping[str, Sequence[int]] = field(default_factory=dict)
    finished: Sequence[tuple[str, str]] = ()  # with the project first


async def look_over(tx: Transaction, *, keep: Retention, after: str, limit: int = 500) -> JobLeftovers:
    ids = await tx.leftovers.job_ids(after, limit)
    if not ids:
        return JobLeftovers(None)
    return JobLeftovers(
        ids[-1],
        await tx.leftovers.gone(ids),
        await tx.leftovers.old_versions(ids, keep, limit),
        await tx.leftovers.finished(ids, keep),
    )


async def drop_versions(tx: Transaction, *, versions: Mapping[str, Sequence[int]]) -> None:
    """A version without runs will never get any: runs are created from the current version only."""
    for job_id, old in versions.items():
        await tx.leftovers.drop_versions(job_id, old)


async def forget(tx: Transaction, *, job_id: str, limit: int = 500) -> bool:
    """A deleted job without runs: its counters are added to its project's, so that totals stay correct, and its
    versions are deleted. False if there is more to do."""
    if await tx.counters.hand_over(job_id, limit) >= limit:
        return False
    await tx.leftovers.drop_versions(job_id)
    return True


async def retire_finished(tx: Transaction, *, project_id: str, job_id: str, keep: Retention) -> bool:
    """Deletes a finished one-time job, unless it has just been given something to do."""
    if await tx.jobs.find(project_id, job_id, lock=True) is None or not await tx.leftovers.finished([job_id], keep):
        return False
    try:
        await delete_job(tx, project_id=project_id, ref=job_id, actor=ACTOR)
    except Conflict:
        return False
    return True
