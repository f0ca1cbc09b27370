"""Claiming queued runs: queue by queue in the order given, the highest priority first, and within a priority the one
that has been due longest. Lanes are read from their heads only, so a retry or a delayed run that is not due yet, or one
that needs another worker, is never in the way of what can be claimed now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from horae.domain.runs.run import NOT_AHEAD, Ahead, Claimant, Claimed
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.lanes import PAUSED, Lane, lanes, params, ready, skip_scan

_COLUMNS = 'id, job_id, version, project_id, "trigger", scheduled_for, attempt, uncounted, input, due_at'


async def claim(
    db: Connection,
    d: Dialect,
    *,
    claimant: Claimant,
    token: str,
    queues: Sequence[str],
    limit: int,
    lease: float,
    ahead: Ahead = NOT_AHEAD,
) -> list[Claimed]:
    """What projects that are not the claimant's have in the same lanes is passed over, which costs: it should take from
    queues that are reserved for its own."""
    offers = claimant.offers
    if not queues or not offers or limit + ahead.runs < 1:
        return []
    mark = {"worker_id": claimant.worker_id, "token": token, "lease": lease}
    if d.with_may_change:
        asked = {**params(d, offers, queues), **_only(claimant), "limit": limit + ahead.runs}
        if not ahead.runs:
            rows = await db.fetch(_at_once(d, bound=bool(claimant.project_ids)), {**mark, **asked})
            return [_claimed(row, token, row["attempt"], row["started_at"]) for row in rows]
        asked |= {"slots": limit, "ahead": ahead.seconds}
        rows = await db.fetch(_at_once(d, bound=bool(claimant.project_ids), ahead=True), {**mark, **asked})
        return _in_order(rows, token, limit, ahead)
    return await _lane_by_lane(db, d, mark, queues, claimant, limit, ahead)


def _in_order(rows: Sequence[Row], token: str, limit: int, ahead: Ahead) -> list[Claimed]:
    first = timedelta(seconds=ahead.seconds)
    return [
        _claimed(row, token, row["attempt"], row["started_at"])
        if row["place"] <= limit
        else _claimed(row, token, row["attempt"], row["started_at"] - first, ahead=True)
        for row in sorted(rows, key=itemgetter("place"))
    ]


async def claimed(db: Connection, worker_id: str, token: str) -> list[Claimed]:
    rows = await db.fetch(
        f"SELECT {_COLUMNS}, started_at FROM runs "
        "WHERE status = 'running' AND worker_id = :worker_id AND token = :token",
        {"worker_id": worker_id, "token": token},
    )
    return [_claimed(row, token, row["attempt"], row["started_at"]) for row in rows]


async def next_due(
    db: Connection, d: Dialect, queues: Sequence[str] | None, offers: Collection[str]
) -> dict[str, datetime]:
    """When the first run that this worker could take is due in each queue that has one."""
    first: dict[str, datetime] = {}
    for lane in await lanes(db, d, offers, queues):
        first[lane.queue] = min(first.get(lane.queue, lane.due_at), lane.due_at)
    return first


@cache
def _at_once(d: Dialect, *, bound: bool, ahead: bool = False) -> str:
    """One statement. `picked` is MATERIALIZED, because inlined the LIMIT would not bound what is updated. Where several
    needs share a queue and a priority, the heads of their lanes are merged by time before any row is locked. A lane is
    read from its head on: what was taken before it stays in the index until a vacuum, and is passed once, not twice.

    `ahead`: what is picked beyond the free slots has a start to come, and may be left (see Ahead)."""
    where = f"{ready()} AND queue = due.queue AND priority = due.priority AND due_at <= {d.now}{_mine(d, bound)}"
    some = "ORDER BY due_at, id LIMIT :limit"
    one = (
        f"SELECT id FROM runs WHERE {where} AND needs = due.needs[1] "
        f"AND (due_at, id) >= (due.heads[1], due.ids[1]) {some} {d.lock_skip}"
    )
    each = (
        f"SELECT id, due_at FROM runs WHERE {where} AND needs = each.needs "
        f"AND (due_at, id) >= (each.head, each.first) {some}"
    )
    several = (
        "SELECT r.id FROM (SELECT front.* FROM unnest(due.needs, due.heads, due.ids) AS each(needs, head, first) "
        f"CROSS JOIN LATERAL ({each}) AS front ORDER BY front.due_at, front.id) AS front "
        f"JOIN runs r ON r.id = front.id WHERE {ready('r')} AND r.due_at <= {d.now} "
        f"ORDER BY front.due_at, front.id LIMIT :limit {d.lock_skip.replace('UPDATE', 'UPDATE OF r')}"
    )
    columns = ", ".join(f"runs.{column.strip()}" for column in _COLUMNS.split(","))
    numbered, started_at, may_wait, place = "", d.now, "", ""
    if ahead:
        numbered = ", numbered AS (SELECT id, row_number() OVER () AS place FROM picked) "
        started_at = f"CASE WHEN picked.place > :slots THEN {d.later(':ahead')} ELSE {d.now} END"
        may_wait = " AND (picked.place <= :slots OR (runs.attempt = 0 AND runs.start_by IS NULL))"
        place = ", picked.place"
    return (
        f"WITH RECURSIVE {skip_scan(d, given=True)}, "
        "due AS MATERIALIZED (SELECT queue, priority, "
        "array_position(CAST(:asked_name AS text[]), CAST(queue AS text)) AS place, "
        "array_agg(needs) AS needs, array_agg(due_at) AS heads, array_agg(id) AS ids FROM lane "
        f"WHERE due_at <= {d.now} AND NOT {PAUSED.format(queue='lane.queue')} "
        "GROUP BY queue, priority ORDER BY place, priority DESC), "
        "picked AS MATERIALIZED (SELECT taken.id FROM due CROSS JOIN LATERAL ("
        f"SELECT id FROM ({one}) AS one WHERE cardinality(due.needs) = 1 UNION ALL "
        f"SELECT id FROM ({several}) AS several WHERE cardinality(due.needs) > 1) AS taken LIMIT :limit) {numbered}"
        "UPDATE runs SET status = 'running', attempt = attempt + 1, worker_id = :worker_id, token = :token, "
        f"lease_until = {d.later(':lease')}, started_at = {started_at} "
        f"FROM {'numbered AS picked' if ahead else 'picked'} WHERE runs.id = picked.id{may_wait} "
        f"RETURNING {columns}, runs.started_at{place}"
    )


def _only(claimant: Claimant) -> dict[str, Any]:
    return {"project_ids": list(claimant.project_ids)} if claimant.project_ids else {}


def _mine(d: Dialect, bound: bool) -> str:
    return f" AND {d.among('project_id', 'project_ids')}" if bound else ""


async def _lane_by_lane(
    db: Connection,
    d: Dialect,
    mark: dict[str, Any],
    queues: Sequence[str],
    claimant: Claimant,
    limit: int,
    ahead: Ahead,
) -> list[Claimed]:
    most = limit + ahead.runs
    only = _only(claimant)
    now = await d.read_now(db)
    due = [lane for lane in await lanes(db, d, claimant.offers, queues) if lane.due_at <= now]
    due.sort(key=lambda lane: (queues.index(lane.queue), -lane.priority, lane.due_at))
    taken: list[Row] = []
    for _, same in groupby(due, key=lambda lane: (lane.queue, lane.priority)):
        taken += await _merged(db, d, list(same), most - len(taken), only)
        if len(taken) >= most:
            break
    first, later = taken[:limit], [row for row in taken[limit:] if not row["attempt"] and row["start_by"] is None]
    for rows, started_at in ((first, now), (later, now + timedelta(seconds=ahead.seconds))):
        if rows:
            await db.execute(_mark(d), {**mark, "started_at": started_at, "ids": [row["id"] for row in rows]})
    return [
        *(_claimed(row, mark["token"], row["attempt"] + 1, now) for row in first),
        *(_claimed(row, mark["token"], row["attempt"] + 1, now, ahead=True) for row in later),
    ]


async def _merged(db: Connection, d: Dialect, together: Sequence[Lane], limit: int, only: dict[str, Any]) -> list[Row]:
    """What is due longest among lanes that differ only in what they need, and come in the order of their heads."""
    found: list[Row] = []
    for lane in together:
        if len(found) >= limit and found[limit - 1]["due_at"] <= lane.due_at:
            break
        params = {"queue": lane.queue, "priority": lane.priority, "needs": lane.needs, "limit": limit, **only}
        found += await db.fetch(_take(d, bound=bool(only)), params)
        found.sort(key=lambda row: (row["due_at"], row["id"]))
    return found[:limit]


@cache
def _take(d: Dialect, *, bound: bool) -> str:
    return (
        f"SELECT {_COLUMNS}, start_by FROM runs WHERE {ready()} AND needs = :needs AND queue = :queue "
        f"AND priority = :priority AND due_at <= {d.now}{_mine(d, bound)} "
        f"ORDER BY due_at, id LIMIT :limit {d.lock_skip}"
    )


@cache
def _mark(d: Dialect) -> str:
    return (
        "UPDATE runs SET status = 'running', attempt = attempt + 1, worker_id = :worker_id, token = :token, "
        f"lease_until = {d.later(':lease')}, started_at = :started_at WHERE {d.among('id', 'ids')}"
    )


def _claimed(row: Row, token: str, attempt: int, started_at: datetime, *, ahead: bool = False) -> Claimed:
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
    )
