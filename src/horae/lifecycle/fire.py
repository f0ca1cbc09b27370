"""Fire: jobs whose time has come get their runs, and their schedules go on, all in one transaction.

An occurrence is created exactly once because three things hold together: the job's row is locked while it is decided,
`fired_through` only ever rises, and `(job_id, occurrence)` is unique among live runs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Fired:
    """What a tick did; `idle_for` is how long (in seconds) nothing of these shards will be due."""

    jobs: int
    runs: int
    skipped: int
    idle_for: float | None


async def fire(tx: Transaction, *, shards: Collection[int], limit: int, scheduler_id: str) -> Fired:
    if await tx.jobs.wake_paused(shards):
        tx.hint("jobs")
    due = await tx.jobs.due(shards, limit)
    now = await tx.now()
    ledger = Ledger(scheduler_id, tx.new_id)
    if due:
        gates = await tx.gates.lock([job.id for job in due if job.plan.max_instances is not None])
        for job in due:
            ledger.fire(job, now, gates.get(job.id))
        await ledger.write(tx)
    idle = 0.0 if len(due) >= limit else await idle_for(tx, shards=shards)
    return Fired(len(due), len(ledger.runs), len(ledger.skipped), idle)


async def idle_for(tx: Transaction, *, shards: Collection[int]) -> float | None:
    """How long (in seconds) nothing of these shards will be due; None if nothing is known to be."""
    next_due = await tx.jobs.next_due(shards)
    return None if next_due is None else max((next_due - await tx.now()).total_seconds(), 0)
