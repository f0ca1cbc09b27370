"""The metrics of the whole installation, as the database counts them: every serve process reports the same values.
Their cost does not grow with history: ended runs are counters, and only live ones are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Labels
from horae.domain.cluster.metrics import Family
from horae.domain.runs.states import WorkerStatus
from horae.ports import Transaction

_QUEUES = 100  # with their own label
_STATUSES = frozenset(status.value for status in WorkerStatus)
_OTHERS = "(others)"  # not a valid name of a queue

Numbers = list[tuple[Family, Mapping[Labels, float]]]


async def installation(
    tx: Transaction, *, offline_after: float, shard_lease: float, jobs: Collection[tuple[str, str]] = ()
) -> Numbers:
    """`jobs` are those with their own metrics."""
    found = await tx.stats.overall()
    ended, live = found["ended"], found["live"]
    return [
        (metrics.RUNS, _by({status: ended[status] for status in ("succeeded", "failed", "cancelled")})),
        (metrics.RETRIES, {(): ended["retries"]}),
        (metrics.SKIPPED, _by(found["skipped"])),
        (metrics.LIVE, _by({status: live.get(status, 0) for status in ("queued", "running")})),
        (metrics.DEAD_LETTERS, {(): found["dead"]["letters"]}),
        (metrics.ALERTS, _by((await tx.alerts.counts(None)).by_severity)),
        (metrics.NOTICES_AGE, {(): await tx.deliveries.oldest()}),
        *await _queues(tx),
        *await _processes(tx, offline_after, shard_lease),
        *await _jobs(tx, jobs),
    ]


async def _queues(tx: Transaction) -> Numbers:
    waiting = await tx.stats.backlog()
    each = [one for one in waiting if one.queue != _OTHERS]
    named, others = each[:_QUEUES], each[_QUEUES:] + [one for one in waiting if one.queue == _OTHERS]
    depth = {one.queue: float(one.due) for one in named}
    age = {one.queue: one.oldest for one in named}
    if others:
        depth[_OTHERS], age[_OTHERS] = sum(one.due for one in others), max(one.oldest for one in others)
    return [(metrics.QUEUE_DEPTH, _by(depth)), (metrics.QUEUE_AGE, _by(age))]


async def _processes(tx: Transaction, offline_after: float, shard_lease: float) -> Numbers:
    workers = await tx.processes.workers(offline_after)
    schedulers = await tx.processes.schedulers(shard_lease)
    shards, owned = await tx.processes.shards(), sum(len(one.shards) for one in schedulers)
    alive = [worker for worker in workers if worker.there]
    return [
        (metrics.WORKERS, _by(Counter(_status(worker.status) for worker in workers))),
        (metrics.CLUSTER_SLOTS, {(): sum(worker.slots for worker in alive)}),
        (metrics.CLUSTER_BUSY, {(): sum(worker.busy for worker in alive)}),
        (metrics.SCHEDULERS, _by(Counter(str(one.status) for one in schedulers))),
        (metrics.SHARDS, _by({"owned": owned, "free": len(shards) - owned})),
    ]


def _status(word: str) -> str:
    """One that this version knows: a damaged row, or one of a newer version, must not add labels."""
    return word if word in _STATUSES else "unknown"


async def _jobs(tx: Transaction, jobs: Collection[tuple[str, str]]) -> Numbers:
    if not jobs:
        return []
    found = {(job.project, job.name): job for job in await tx.stats.chosen(jobs)}
    succeeded = {key: job.last_success_at for key, job in found.items()}
    due = {key: job.next_run_at for key, job in found.items()}
    ended: dict[Labels, float] = {
        (*key, status): float(count) for key, job in found.items() for status, count in job.ended.items()
    }
    return [
        (metrics.JOB_RUNS, ended),
        (metrics.JOB_SUCCESS, {key: at.timestamp() for key, at in succeeded.items() if at is not None}),
        (metrics.JOB_NEXT, {key: at.timestamp() for key, at in due.items() if at is not None}),
        (metrics.JOB_OVERDUE, {key: job.overdue for key, job in found.items()}),
    ]


def _by(values: Mapping[str, float]) -> Mapping[Labels, float]:
    return {(name,): value for name, value in values.items()}
