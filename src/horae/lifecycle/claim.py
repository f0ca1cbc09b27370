"""Claim: a worker takes runs that it can execute, up to its free slots, each under a lease and a new fencing token.
When its queues will have more is a separate question (`look`), so that no run waits for the answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.runs.claim import ClaimRequest, Taken
from horae.ports import Transaction


async def claim(tx: Transaction, request: ClaimRequest, *, again: bool = False) -> Taken:
    """One token serves the whole batch: no other claim of any of these runs will ever have it. `again`, which needs a
    whole transaction: the result of an earlier claim with this token was lost. If that claim took something, this one
    returns it, with fresh leases; if not, it returns nothing, because the claim may have taken runs that were lost and
    requeued since.

    A worker that is bound to projects takes only their runs, and only from queues reserved for them; this also needs a
    whole transaction."""
    claimant = request.claimant
    if again or tx.repeated:
        held = await tx.runs.claimed(claimant.worker_id, request.token)
        if again:
            ids = [run.id for run in held]
            renewed = {run_id for run_id, _, _ in await tx.runs.renew(claimant.worker_id, ids, request.lease)}
            held = [run for run in held if run.id in renewed]
        now = await tx.now()
        return Taken([run._replace(started_at=now, ahead=True) for run in held], request.queues or (), more=True)
    if claimant.project_ids:
        request = request.within(await tx.reservations.queues(claimant.project_ids, hold=True))
    runs = await tx.runs.claim(request)
    return Taken(runs, request.queues or (), more=len(runs) >= request.most)


async def look(tx: Transaction, *, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, float]:
    """How long (in seconds) until each of these queues, or of all, has a run that can be claimed with `offers`; queues
    that have none, or are paused, are left out."""
    due = await tx.runs.next_due(queues, offers)
    if not due:
        return {}
    now = await tx.now()
    return {queue: max((at - now).total_seconds(), 0) for queue, at in due.items()}
