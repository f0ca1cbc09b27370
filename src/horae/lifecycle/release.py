"""Release: a worker returns runs that it claimed ahead of its slots and has not started. The claim is undone: each gets
its attempt and its place in the queue back, for any worker to claim."""

from __future__ import annotations

from collections.abc import Sequence

from horae.domain.runs.claim import Claimed
from horae.domain.runs.ending import Ended
from horae.domain.runs.events import RunsReleased
from horae.domain.runs.outcome import End, Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger
from horae.lifecycle.ended import after_ends
from horae.lifecycle.settle import Settlement
from horae.ports import Transaction

_CANCELLED = Outcome(AttemptOutcome.CANCELLED, error="cancelled")


async def release(tx: Transaction, *, runs: Sequence[Claimed]) -> int:
    """Returns how many are queued again. Repeated, it has no effect: the tokens are gone."""
    rows = await tx.runs.leased([(run.id, run.token) for run in runs])
    if not rows:
        return 0
    now = await tx.now()
    settlement = Settlement({}, lambda: 0.0)
    cancelled = [row.as_of(now) for row in rows if row.cancel_requested_at is not None]
    for row in cancelled:
        settlement.put(row, _CANCELLED, 0, End(RunStatus.CANCELLED))
    ended = await tx.runs.end(settlement.endings)
    queued = [row for row in rows if row.cancel_requested_at is None]
    await tx.runs.release(queued)
    tx.tell(RunsReleased(queued))
    await after_ends(
        tx,
        [Ended.of(row, RunStatus.CANCELLED, _CANCELLED, 0, row.place) for row in cancelled if row.id in ended],
        {row.job_id for row in queued if row.trigger != Trigger.BACKFILL},
    )
    return len(queued)
