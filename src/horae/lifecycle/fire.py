"""Fire: jobs whose time has come get their runs, and their schedules go on, all in one transaction.

An occurrence is created exactly once because three things hold together: the job's row is locked while it is decided,
`fired_through` only ever rises, and `(job_id, occurrence)` is unique among live runs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from horae.accounts.quotas import places_for
from horae.domain.jobs.fault import LeftOut
from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Fired:
    """What a tick did. `idle_for` is how long (in seconds) nothing of these shards will be due; `left_out` are jobs
    that are due and cannot be fired; `more`: there may be more that is due."""

    jobs: int
    runs: int
    skipped: int
    idle_for: float | None
    left_out: tuple[LeftOut, ...] = ()
    more: bool = False


async def fire(tx: Transaction, *, shards: Collection[int], limit: int, scheduler_id: str, passing: int = 0) -> Fired:
    """`passing`: how many jobs are known to be due and left out; that many more are asked for, because those come first
    again every time and must not take the places of others."""
    if await tx.jobs.wake_paused(shards):
        tx.hint("jobs")
    due = await tx.jobs.due(shards, limit + passing)
    now = await tx.now()
    ledger = Ledger(scheduler_id, tx.new_id)
    left_out = list(due.left_out)
    gated = {job.id for job in due.jobs if job.plan.max_instances is not None}
    await _wake_delayed(tx, gated, limit)
    if due.jobs:
        gates = await tx.gates.lock(gated)
        ledger.places = await places_for(tx, [job for job in due.jobs if job.bounded], now)
        for job in due.jobs:
            try:
                ledger.fire(job, now, gates.get(job.id))
            except Exception as error:  # a plan that can be read and makes no sense harms nobody else either
                ledger.forget(job.id)
                left_out.append(
                    LeftOut(job.id, job.version, f"its schedule fails with {type(error).__name__}: {error}")
                )
        await ledger.write(tx)
    passed = {(one.job_id, one.version) for one in left_out}
    idle = 0.0 if due.more else await idle_for(tx, shards=shards, left_out=passed)
    return Fired(len(due.jobs), len(ledger.runs), len(ledger.skipped), idle, tuple(left_out), due.more)


async def _wake_delayed(tx: Transaction, gated: Collection[str], limit: int) -> None:
    """Runs that were asked for later, of jobs with a limit: from now on they wait for their turn like others. Of all
    shards, since their own may have nobody to look after them just now."""
    sleepers = await tx.gates.sleepers(limit)
    if not sleepers:
        return
    await tx.gates.lock(sleepers.union(gated))  # all that are needed at once, and so in id order
    await tx.gates.wake(sleepers, limit)


async def idle_for(
    tx: Transaction, *, shards: Collection[int], left_out: Collection[tuple[str, int]] = ()
) -> float | None:
    """How long (in seconds) nothing of these shards will be due; None if nothing is known to be."""
    next_due = await tx.jobs.next_due(shards, left_out)
    return None if next_due is None else max((next_due - await tx.now()).total_seconds(), 0)
