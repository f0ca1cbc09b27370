"""Prune: what is older than its retention goes, a little at a time, so that no transaction is long."""

from __future__ import annotations

from horae.domain.idempotency import KEPT
from horae.ports import Transaction

PROCESS_RETENTION = 86_400.0  # how long a worker or scheduler that is gone stays in the lists
ACCOUNT_RETENTION = 30 * 86_400.0  # how long a session or an invitation is known that is over
LIMIT_RETENTION = 2 * 86_400.0  # by then every try is forgotten


async def prune(
    tx: Transaction, *, retention: float, log_retention: float, audit_retention: float | None = None, limit: int = 500
) -> int:
    """Deletes one portion; how much. Zero means that nothing is left to do. The audit trail stays, unless told."""
    pruned = await tx.upkeep.prune_runs(retention, limit)
    if log_retention < retention:
        pruned += await tx.upkeep.prune_logs(log_retention, limit)
    if audit_retention is not None:
        pruned += await tx.audit.prune(audit_retention, limit)
    return pruned + await tx.idempotency.prune(KEPT, limit)


async def tidy(tx: Transaction) -> None:
    """Forgets processes that are long gone, and what accounts left behind."""
    await tx.upkeep.prune_processes(PROCESS_RETENTION)
    await tx.sessions.prune(ACCOUNT_RETENTION)
    await tx.invitations.prune(ACCOUNT_RETENTION)
    await tx.limits.prune(LIMIT_RETENTION)


async def partition(tx: Transaction, *, retention: float) -> bool:
    """Makes a partition for a month to come, or drops one whose month is past its retention and that is empty. One at a
    time, each in a transaction of its own: its lock shuts everybody out. False if there was nothing to do."""
    return await tx.upkeep.partition(retention)


async def roll_up(tx: Transaction, *, limit: int = 1000) -> int:
    """Sums what ended runs added to the counters; how many additions there were."""
    return await tx.stats.roll_up(limit)
