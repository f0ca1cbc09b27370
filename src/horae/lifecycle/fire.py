"""Fire: due jobs get their runs, and their schedules advance, all in one transaction.

An occurrence is created exactly once because of three things: the job's row is locked while the verb decides,
`fired_through` only ever increases, and `(job_id, occurrence)` is unique among live runs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from horae.accounts.quotas import places_for
from horae.domain.jobs.fault import LeftOut
from horae.domain.runs.firing import DueJobs
from horae.domain.runs.gate import NO_GATE
from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Fired:
    """The result of a tick. `idle_for` is how long (in seconds) nothing in these shards will be due; `left_out` are due
    jobs that cannot be fired; `more`: there may be more that is due; `contended` are projects with due jobs that were
    not fired, because another transaction has locked the project's quota."""

    jobs: int
    runs: int
    skipped: int
    idle_for: float | None
    left_out: tuple[LeftOut, ...] = ()
    more: bool = False
    contended: frozenset[str] = frozenset()


async def fire(
    tx: Transaction,
    *,
    shards: Collection[int],
    limit: int,
    scheduler_id: str,
    passing: int = 0,
    without: Collection[str] = (),
) -> Fired:
    """`passing`: how many due jobs are known to be left out; that many more are read, because those come first every
    time and must not displace others. `without` the projects that `fire_apart` handles."""
    waking = await tx.jobs.to_wake(shards)
    if waking.paused and await tx.jobs.wake_paused(shards):
        tx.hint("jobs")
    due = await tx.jobs.due(shards, limit + passing, without=without)
    gated = _gated(due)
    if waking.delayed:
        await _wake_delayed(tx, gated, limit)
    return await _fire(tx, due, gated, shards, scheduler_id, wait=False)


async def fire_apart(
    tx: Transaction,
    *,
    shards: Collection[int],
    limit: int,
    scheduler_id: str,
    project_id: str,
    passing: int = 0,
    wait: bool = False,
) -> Fired:
    """Likewise for one project whose quota was contended: no other project waits for it."""
    due = await tx.jobs.due(shards, limit + passing, only=project_id)
    return await _fire(tx, due, _gated(due), shards, scheduler_id, wait=wait)


def _gated(due: DueJobs) -> set[str]:
    return {job.id for job in due.jobs if job.plan.max_instances is not None}


async def _fire(
    tx: Transaction, due: DueJobs, gated: Collection[str], shards: Collection[int], scheduler_id: str, *, wait: bool
) -> Fired:
    ledger = Ledger(scheduler_id, tx.new_id)
    left_out = list(due.left_out)
    contended: set[str] = set()
    if due.jobs and (now := due.at):
        gates = await tx.gates.lock(gated)
        bounded = [job for job in due.jobs if job.bounded]
        ledger.places = await places_for(tx, bounded, now, wait=wait)
        if not wait:
            contended = {job.project_id for job in bounded}.difference(ledger.places)
        for job in due.jobs:
            if job.project_id in contended:
                continue
            try:
                ledger.fire(job, now, gates.get(job.id, NO_GATE))
            except Exception as error:  # a plan that is readable but makes no sense must not harm other jobs either
                ledger.forget(job.id)
                left_out.append(
                    LeftOut(job.id, job.version, f"its schedule fails with {type(error).__name__}: {error}")
                )
        await ledger.write(tx)
    passed = {(one.job_id, one.version) for one in left_out}
    idle = 0.0 if due.more else await idle_for(tx, shards=shards, left_out=passed)
    return Fired(
        len(due.jobs), len(ledger.runs), len(ledger.skipped), idle, tuple(left_out), due.more, frozenset(contended)
    )


async def _wake_delayed(tx: Transaction, gated: Collection[str], limit: int) -> None:
    """Runs requested for a later time, of jobs with a limit: from now on they wait for their turn like the others.
    Across all shards, since their own may have no owner at the moment."""
    sleepers = await tx.gates.sleepers(limit)
    if not sleepers:
        return
    await tx.gates.lock(sleepers.union(gated))  # all of them at once, and so in id order
    await tx.gates.wake(sleepers, limit)


async def idle_for(
    tx: Transaction, *, shards: Collection[int], left_out: Collection[tuple[str, int]] = ()
) -> float | None:
    """How long (in seconds) nothing in these shards will be due; None if nothing is known to be."""
    due_in = await tx.jobs.due_in(shards, left_out)
    return None if due_in is None else max(due_in, 0.0)
