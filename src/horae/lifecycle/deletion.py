"""Deletion: the job and everything that could start it are deleted immediately. Schedulers cancel its queued runs in
batches, so that no transaction is long and a crash in between is harmless."""

from __future__ import annotations

from horae.domain.jobs.deletion import Deletion
from horae.domain.runs.run_record import RunRecord
from horae.lifecycle.ended import cancel_live
from horae.ports import Transaction

PORTION = 500


async def portion(tx: Transaction, deletion: Deletion, limit: int = PORTION) -> tuple[list[RunRecord], bool]:
    """Locks some runs whose cancellation is not requested yet, and says whether there may be more: once the job is
    deleted, no new run can be queued."""
    run_ids = await tx.deletions.left(deletion.job_id, limit)
    return await tx.runs.live(deletion.project_id, run_ids, lock=True), len(run_ids) >= limit


async def carry_out(tx: Transaction, *, limit: int = PORTION) -> int:
    """One portion of one deletion; returns the number of runs."""
    deletion = await tx.deletions.take()
    if deletion is None:
        return 0
    live, more = await portion(tx, deletion, limit)
    await cancel_live(tx, live, deletion.actor)
    if not more:
        await tx.deletions.done(deletion.job_id)
    return len(live)
