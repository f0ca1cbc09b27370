"""Taking queued runs. A lane is one queue at one priority; lanes are tried in order, so that a retry or a delayed run
of a high priority that is not due yet is never in the way of what is due below it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.run import Claimed
from horae.store.dialects.base import Connection, Dialect, Row

Lane = tuple[str, int]
_PRIORITIES = range(9, -1, -1)
_COLUMNS = 'id, job_id, version, project_id, "trigger", scheduled_for, attempt, uncounted, input, due_at'
_PAUSED = "EXISTS (SELECT 1 FROM queues WHERE name = {queue} AND paused_at IS NOT NULL)"
_READY = "status = 'queued' AND NOT held AND queue = {queue} AND priority = {priority}"


def lanes(queues: Sequence[str]) -> list[Lane]:
    return [(queue, priority) for queue in queues for priority in _PRIORITIES]


async def claim(
    db: Connection,
    d: Dialect,
    *,
    worker_id: str,
    token: str,
    queues: Sequence[str],
    offers: Collection[str],
    limit: int,
    lease: float,
) -> list[Claimed]:
    if not queues or not offers or limit < 1:
        return []
    mark = {"worker_id": worker_id, "token": token, "lease": lease}
    where = {"offers": list(offers), "limit": limit}
    if d.with_may_change:
        names, priorities = zip(*lanes(queues), strict=True)
        rows = await db.fetch(_at_once(d), {**mark, **where, "queues": names, "priorities": priorities})
        return [_claimed(row, token, row["attempt"], row["started_at"]) for row in rows]
    return await _lane_by_lane(db, d, mark, where, queues)


async def claimed(db: Connection, worker_id: str, token: str) -> list[Claimed]:
    rows = await db.fetch(
        f"SELECT {_COLUMNS}, started_at FROM runs "
        "WHERE status = 'running' AND worker_id = :worker_id AND token = :token",
        {"worker_id": worker_id, "token": token},
    )
    return [_claimed(row, token, row["attempt"], row["started_at"]) for row in rows]


@cache
def _at_once(d: Dialect) -> str:
    """One statement. MATERIALIZED, because inlined the LIMIT would not bound what is updated."""
    ready = _READY.format(queue="lane.queue", priority="lane.priority")
    columns = ", ".join(f"runs.{column.strip()}" for column in _COLUMNS.split(","))
    return (
        "WITH lane AS MATERIALIZED ("
        "SELECT queue, priority FROM unnest(CAST(:queues AS text[]), CAST(:priorities AS smallint[])) "
        f"AS given(queue, priority) WHERE NOT {_PAUSED.format(queue='given.queue')}), "
        "picked AS MATERIALIZED (SELECT taken.id FROM lane CROSS JOIN LATERAL ("
        f"SELECT id FROM runs WHERE {ready} AND due_at <= {d.now} AND {d.among('needs', 'offers')} "
        f"ORDER BY due_at, id LIMIT :limit {d.lock_skip}) AS taken LIMIT :limit) "
        "UPDATE runs SET status = 'running', attempt = attempt + 1, worker_id = :worker_id, token = :token, "
        f"lease_until = {d.later(':lease')}, started_at = {d.now} FROM picked WHERE runs.id = picked.id "
        f"RETURNING {columns}, runs.started_at"
    )


async def _lane_by_lane(
    db: Connection, d: Dialect, mark: dict[str, Any], where: dict[str, Any], queues: Sequence[str]
) -> list[Claimed]:
    now = await d.read_now(db)
    taken: list[Claimed] = []
    for (queue, priority), due_at in await _heads(db, d, queues, where["offers"]):
        if due_at > now:
            continue
        rows = await db.fetch(
            _take(d),
            {**where, "queue": queue, "priority": priority, "limit": where["limit"] - len(taken)},
        )
        taken += [_claimed(row, mark["token"], row["attempt"] + 1, now) for row in rows]
        if len(taken) >= where["limit"]:
            break
    if taken:
        await db.execute(_mark(d), {**mark, "now": now, "ids": [run.id for run in taken]})
    return taken


@cache
def _take(d: Dialect) -> str:
    ready = _READY.format(queue=":queue", priority=":priority")
    return (
        f"SELECT {_COLUMNS} FROM runs WHERE {ready} AND due_at <= {d.now} AND {d.among('needs', 'offers')} "
        f"ORDER BY due_at, id LIMIT :limit {d.lock_skip}"
    )


@cache
def _mark(d: Dialect) -> str:
    return (
        "UPDATE runs SET status = 'running', attempt = attempt + 1, worker_id = :worker_id, token = :token, "
        f"lease_until = {d.later(':lease')}, started_at = :now WHERE {d.among('id', 'ids')}"
    )


async def next_due(db: Connection, d: Dialect, queues: Sequence[str], offers: Collection[str]) -> datetime | None:
    """When the earliest run that this worker could take is due; it may be past, if another worker is at it."""
    if not queues or not offers:
        return None
    return min((due_at for _, due_at in await _heads(db, d, queues, list(offers))), default=None)


async def _heads(db: Connection, d: Dialect, queues: Sequence[str], offers: list[str]) -> list[tuple[Lane, datetime]]:
    """The first run of each lane that has one; of no paused queue."""
    wanted = lanes(queues)
    params = {f"q{i}": queue for i, queue in enumerate(queues)} | {"offers": offers}
    rows = await db.fetch(_heads_sql(d, len(queues)), params)
    return [(wanted[row["lane"]], row["due_at"]) for row in rows if row["due_at"] is not None]


@cache
def _heads_sql(d: Dialect, queue_count: int) -> str:
    parts = []
    for i, (queue, priority) in enumerate((q, p) for q in range(queue_count) for p in _PRIORITIES):
        ready = _READY.format(queue=f":q{queue}", priority=priority)
        ready += f" AND {d.among('needs', 'offers')} AND NOT {_PAUSED.format(queue=f':q{queue}')}"
        head = f"(SELECT due_at FROM runs WHERE {ready} ORDER BY due_at, id LIMIT 1)"
        parts.append(f"SELECT {i} AS lane, {d.time(head, 'due_at')}")
    return " UNION ALL ".join(parts)


def _claimed(row: Row, token: str, attempt: int, started_at: datetime) -> Claimed:
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
    )
