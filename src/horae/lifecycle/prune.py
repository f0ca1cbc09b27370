"""Prune: deletes what is older than its retention, in batches, so that no transaction is long."""

from __future__ import annotations

from dataclasses import dataclass

from horae.domain.jobs.idempotency import KEPT
from horae.domain.jobs.retention import Retention
from horae.domain.runs.series import DAY, HOUR, MINUTE, MINUTES_KEPT
from horae.domain.text.ids import NIL
from horae.ports import Transaction

PROCESS_RETENTION = 86_400.0  # how long an ended worker or scheduler stays in the lists
ACCOUNT_RETENTION = 30 * 86_400.0  # how long an ended session or invitation is kept
UNREADABLE_RETENTION = 86_400.0  # how long a note about an unreadable definition is kept
TASK_RETENTION = 86_400.0  # after its deadline, if no worker came to revoke it
LIMIT_RETENTION = 2 * 86_400.0  # by then every attempt is forgotten


@dataclass(frozen=True, slots=True)
class Pruned:
    """One batch: how many rows of any kind were deleted, the last run of the history that was read, and whether there
    may be more."""

    count: int
    through: str
    more: bool


async def prune(tx: Transaction, *, keep: Retention, after: str = NIL, limit: int = 500) -> Pruned:
    """Deletes one batch of expired history, starting after `after`: unresolved dead letters are kept regardless of age,
    and must not be read again for every batch."""
    looked_at, runs, through = await tx.history.prune(keep.runs, limit, after)
    counts = [runs, await tx.operations.prune(keep.runs, limit), await tx.idempotency.prune(KEPT, limit)]
    counts.append(await tx.alerts.prune(keep.runs, limit))
    counts.append(await tx.counters.roll_days(keep.hours, limit))
    counts.append(await tx.counters.prune_days(keep.days, limit))
    counts.append(await tx.deliveries.prune(keep.deliveries, limit))
    for step, kept in ((MINUTE, MINUTES_KEPT), (HOUR, keep.hours), (DAY, keep.days)):
        counts.append(await tx.series.prune(step, kept, limit))
    if keep.logs < keep.runs:
        counts.append(await tx.upkeep.prune_logs(keep.logs, limit))
    counts.append(await tx.ping_events.prune(keep.runs, limit))
    counts.append(await tx.remote_tasks.prune(TASK_RETENTION, limit))
    if keep.audit is not None:
        counts.append(await tx.audit.prune(keep.audit, limit))
    return Pruned(sum(counts), through, max(looked_at, *counts) >= limit)


async def tidy(tx: Transaction) -> None:
    """Deletes processes that are long gone, and expired data of accounts."""
    await tx.upkeep.prune_processes(PROCESS_RETENTION)
    await tx.sessions.prune(ACCOUNT_RETENTION)
    await tx.devices.prune(LIMIT_RETENTION)
    await tx.invitations.prune(ACCOUNT_RETENTION)
    await tx.limits.prune(LIMIT_RETENTION)
    await tx.unreadable.prune(UNREADABLE_RETENTION)


async def partition(tx: Transaction, *, retention: float) -> bool:
    """Creates a partition for a future month, or drops one whose month is past its retention and that is empty. One at
    a time, each in its own transaction: its lock blocks all others. False if there was nothing to do."""
    return await tx.upkeep.partition(retention)


async def roll_up(tx: Transaction, *, limit: int = 1000) -> int:
    """Sums up what ended runs added to the counters; returns how many additions there were."""
    return await tx.stats.roll_up(limit)


async def recount(tx: Transaction) -> int:
    """Corrects the totals, which processes of an older version do not keep; how many were wrong."""
    return await tx.stats.recount()
