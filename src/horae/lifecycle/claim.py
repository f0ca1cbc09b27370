"""Claim: a worker takes what it can carry out, up to its free slots, and learns until when it may sleep."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from horae.domain.run import Claimed
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Claims:
    """What was taken; `idle_for` is how long (in seconds) nothing else will be due, None if nothing is known to be."""

    runs: list[Claimed]
    idle_for: float | None


async def claim(
    tx: Transaction,
    *,
    worker_id: str,
    token: str,
    queues: Sequence[str],
    offers: Collection[str],
    limit: int,
    lease: float,
    again: bool = False,
) -> Claims:
    """One token serves the whole batch: no other claim of any of these runs will ever carry it. `again`, for which it
    takes a whole transaction: nobody heard what an earlier claim with this token came to. If it took something, that is
    what this one gives, with fresh leases; if not, nothing, for it may have taken what was lost and queued since."""
    if again or tx.repeated:
        held = await tx.runs.claimed(worker_id, token)
        if again:
            renewed = {run_id for run_id, _, _ in await tx.runs.renew(worker_id, [run.id for run in held], lease)}
            held = [run for run in held if run.id in renewed]
        return Claims(held, 0)
    runs = await tx.runs.claim(worker_id=worker_id, token=token, queues=queues, offers=offers, limit=limit, lease=lease)
    if len(runs) >= limit:
        return Claims(runs, 0)
    next_due = await tx.runs.next_due(queues, offers)
    if next_due is None:
        return Claims(runs, None)
    return Claims(runs, max((next_due - await tx.now()).total_seconds(), 0))
