"""Recover: an expired lease counts as a `lost` attempt, a parked run without its callback or the end of its task as
`timed_out`; both are handled like any failure. Any scheduler may sweep."""

from __future__ import annotations

from collections.abc import Callable, Collection

from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Ended, Ending
from horae.domain.runs.events import RunsExpired
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import is_remote
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.lifecycle.ended import after_ends, revoke_remote
from horae.lifecycle.settle import Settlement
from horae.ports import Transaction

_LOST = Outcome(AttemptOutcome.LOST, error="the worker was lost: its lease ran out")
_DEAD = Outcome(AttemptOutcome.LOST, error="the worker was lost: its process is gone")
_UNANSWERED = Outcome(AttemptOutcome.TIMED_OUT, error="no callback came in time")


_UNFOLLOWED = Outcome(
    AttemptOutcome.TIMED_OUT,
    error="no worker followed its task to the end: it timed out, and the task is revoked when one is back",
)


async def recover(
    tx: Transaction, *, chance: Callable[[], float], dead_workers: Collection[str] = (), limit: int = 500
) -> int:
    """Recovers runs from workers that no longer hold them; returns how many."""
    rows = await tx.runs.expired(limit, dead_workers)
    if len(rows) < limit:  # otherwise dead workers have more, for the next sweep
        await tx.processes.mark_offline(dead_workers)
    if not rows:
        return 0
    specs = await tx.jobs.definitions({(row.job_id, row.version) for row in rows})
    settlement = Settlement(specs, chance)
    now = await tx.now()
    rows = [row.as_of(now) for row in rows]
    for row in rows:
        settlement.add(row, _outcome(row, dead_workers), row.age_ms(now))
    await revoke_remote(tx, rows)
    ended = await tx.runs.end(settlement.endings)
    await settlement.write(tx)
    ends = [(row, _outcome(row, dead_workers)) for row in rows if row.id in ended]
    await after_ends(
        tx,
        [Ended.of(row, settlement.statuses[row.id], outcome, row.age_ms(now), row.place) for row, outcome in ends],
        settlement.requeued,
    )
    return len(rows)


def _outcome(row: Leased, dead_workers: Collection[str]) -> Outcome:
    if row.parked:
        return _UNFOLLOWED if is_remote(row.needs) else _UNANSWERED
    return _DEAD if row.worker_id in dead_workers else _LOST


_EXPIRED = Outcome(AttemptOutcome.FAILED, error="no worker started it in time (start_within)")


async def expire(tx: Transaction, *, limit: int = 500) -> int:
    """Ends queued runs that no worker started in time, so that nothing waits forever unnoticed. Returns how many."""
    rows = await tx.runs.overdue(limit)
    if not rows:
        return 0
    ended = await tx.runs.end([Ending(row.id, None, RunStatus.FAILED, "expired", _EXPIRED) for row in rows])
    over = [row for row in rows if row.id in ended]
    tx.tell(RunsExpired(over))
    await after_ends(tx, [Ended.of(row, RunStatus.FAILED, _EXPIRED, 0, row.place) for row in over])
    return len(ended)
