"""Claiming queued runs: queue by queue in the order given, the highest priority first, and within a priority the one
that has been due longest. Lanes are read from their heads only, so a retry or a delayed run that is not due yet, or one
that needs another worker, is never in the way of what can be claimed now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.runs.claim import Claimant, Claimed, ClaimRequest
from horae.domain.text.ids import is_id
from horae.store.dialects.base import Connection, Dialect, Row, listed
from horae.store.rows import some, words
from horae.store.runs.lanes import PAUSED, lanes, ready

COLUMNS = words("id job_id version project_id trigger scheduled_for attempt uncounted input due_at traceparent")


async def claim(db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
    """Runs of other projects in the same lanes are skipped, which costs time: such a claimant should use queues that
    are reserved for its own projects."""
    if not request.claimant.offers or request.most < 1 or (request.queues is not None and not request.queues):
        return []
    if request.run_ids is None:
        return await d.hot.claim(db, d, request)
    known = [run_id for run_id in request.run_ids if is_id(run_id)]
    return await d.hot.claim_by_id(db, d, replace(request, run_ids=known)) if known else []


async def claimed(db: Connection, worker_id: str, token: str) -> list[Claimed]:
    rows = await db.fetch(
        f"SELECT {listed(COLUMNS)}, started_at FROM runs "
        "WHERE status = 'running' AND worker_id = :worker_id AND token = :token",
        {"worker_id": worker_id, "token": token},
    )
    return [claimed_run(row, token, row["attempt"], row["started_at"]) for row in rows]


async def next_due(
    db: Connection, d: Dialect, queues: Sequence[str] | None, offers: Collection[str]
) -> dict[str, datetime]:
    """When the first run that this worker could execute is due, for each queue that has one."""
    first: dict[str, datetime] = {}
    for lane in await lanes(db, d, offers, queues):
        first[lane.queue] = min(first.get(lane.queue, lane.due_at), lane.due_at)
    return first


# Shared by the statements of all databases


def mark(d: Dialect, started_at: str) -> str:
    return (
        "UPDATE runs SET status = 'running', attempt = attempt + 1, worker_id = :worker_id, token = :token, "
        f"lease_until = {d.later(':lease')}, started_at = {started_at}"
    )


def mark_params(request: ClaimRequest) -> dict[str, Any]:
    return {"worker_id": request.claimant.worker_id, "token": request.token, "lease": request.lease}


def mine(d: Dialect, *, bound: bool) -> str:
    """The condition that a run belongs to the claimant's projects, if it is bound to some."""
    return f" AND {d.among('project_id', 'project_ids')}" if bound else ""


def mine_params(claimant: Claimant) -> dict[str, Any]:
    return {"project_ids": some(claimant.project_ids)} if claimant.project_ids else {}


@cache
def take_named(d: Dialect, columns: Sequence[str], *, in_queues: bool, bound: bool) -> str:
    """Locks the claimable runs among these ids. The rules are those of lanes, row by row."""
    queue = f" AND {d.among('queue', 'queues')}" if in_queues else ""
    return (
        f"SELECT {listed(columns)} FROM runs WHERE {d.among('id', 'ids')} AND {ready()} AND due_at <= {d.now} "
        f"AND {d.among('needs', 'offers')}{queue}{mine(d, bound=bound)} "
        f"AND NOT {PAUSED.format(queue='runs.queue')} ORDER BY priority DESC, due_at, id LIMIT :limit {d.lock_skip}"
    )


def named_params(request: ClaimRequest) -> dict[str, Any]:
    params = {"ids": some(request.run_ids or ()), "offers": some(request.claimant.offers), "limit": request.most}
    if request.queues is not None:
        params["queues"] = some(request.queues)
    return params | mine_params(request.claimant)


def claimed_run(row: Row, token: str, attempt: int, started_at: datetime, *, ahead: bool = False) -> Claimed:
    return Claimed(
        row["id"],
        row["job_id"],
        row["version"],
        row["project_id"],
        row["trigger"],
        row["scheduled_for"],
        attempt,
        row["uncounted"],
        row["input"],
        row["due_at"],
        started_at,
        token,
        ahead,
        row["traceparent"],
    )
