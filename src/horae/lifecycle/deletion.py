"""Deletion: a job goes at once, and with it what could start anything of it. The runs that it leaves queued are
cancelled in portions, by schedulers, so that no transaction is long and a crash in between changes nothing."""

from __future__ import annotations

from horae.domain.jobs.deletion import Deletion
from horae.domain.runs.run_record import RunRecord
from horae.lifecycle.ended import cancel_live
from horae.ports import Transaction

PORTION = 500


async def portion(tx: Transaction, deletion: Deletion, limit: int = PORTION) -> tuple[list[RunRecord], bool]:
    """Some of the runs that were not asked to stop yet, locked, and whether there may be more: once the job is gone,
    nothing can queue a run of it."""
    run_ids = await tx.deletions.left(deletion.job_id, limit)
    return await tx.runs.live(deletion.project_id, run_ids, lock=True), len(run_ids) >= limit


async def carry_out(tx: Transaction, *, limit: int = PORTION) -> int:
    """One portion of one deletion; how many runs it was."""
    deletion = await tx.deletions.take()
    if deletion is None:
        return 0
    live, more = await portion(tx, deletion, limit)
    await cancel_live(tx, live, deletion.actor)
    if not more:
        await tx.deletions.done(deletion.job_id)
    return len(live)
