"""The hot statements (`HotStatements`) in a form that every database supports: rows are locked, read and changed, one
after the other in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any

from horae.domain.cluster.process import SchedulerStanding
from horae.domain.errors import NeedsTransaction
from horae.domain.jobs.job_record import JobHead
from horae.domain.runs.claim import Claimed, ClaimRequest
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_record import RunRecord
from horae.store import shard_leases
from horae.store.dialects.base import Connection, Dialect, Move, Params, Row, listed
from horae.store.rows import put
from horae.store.runs import history, leases, run_list
from horae.store.runs.claims import (
    COLUMNS,
    claimed_run,
    mark,
    mark_params,
    mine,
    mine_params,
    named_params,
    take_named,
)
from horae.store.runs.lanes import Lane, lanes, ready
from horae.store.runs.run_insert import insert_of

single = False


async def claim(db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
    """Lane by lane."""
    queues = list(request.queues or ())
    only = mine_params(request.claimant)
    now = await d.read_now(db)
    due = [lane for lane in await lanes(db, d, request.claimant.offers, queues) if lane.due_at <= now]
    due.sort(key=lambda lane: (queues.index(lane.queue), -lane.priority, lane.due_at))
    taken: list[Row] = []
    for _, same in groupby(due, key=lambda lane: (lane.queue, lane.priority)):
        taken += await _merged(db, d, list(same), request.most - len(taken), only)
        if len(taken) >= request.most:
            break
    return await _claimed(db, d, request, taken, now)


async def claim_by_id(db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
    bound = bool(request.claimant.project_ids)
    take = take_named(d, (*COLUMNS, "start_by"), in_queues=request.queues is not None, bound=bound)
    rows = await db.fetch(take, named_params(request))
    return await _claimed(db, d, request, rows, await d.read_now(db))


async def _claimed(
    db: Connection, d: Dialect, request: ClaimRequest, taken: Sequence[Row], now: datetime
) -> list[Claimed]:
    first = taken[: request.limit]
    later = [row for row in taken[request.limit :] if not row["attempt"] and row["start_by"] is None]
    until = now + timedelta(seconds=request.ahead.seconds)
    return [
        *await _marked(db, d, request, first, now, now),
        *await _marked(db, d, request, later, now, until, ahead=True),
    ]


async def _marked(
    db: Connection,
    d: Dialect,
    request: ClaimRequest,
    rows: Sequence[Row],
    now: datetime,
    started_at: datetime,
    *,
    ahead: bool = False,
) -> list[Claimed]:
    if not rows:
        return []
    ids = [row["id"] for row in rows]
    await db.execute(_mark(d), {**mark_params(request), "started_at": started_at, "ids": ids})
    return [claimed_run(row, request.token, row["attempt"] + 1, now, ahead=ahead) for row in rows]


async def _merged(db: Connection, d: Dialect, together: Sequence[Lane], limit: int, only: dict[str, Any]) -> list[Row]:
    """The longest due runs of lanes that differ only in their needs, in the order of their heads."""
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
        f"SELECT {listed(COLUMNS)}, start_by FROM runs WHERE {ready()} AND needs = :needs AND queue = :queue "
        f"AND priority = :priority AND due_at <= {d.now}{mine(d, bound=bound)} "
        f"ORDER BY due_at, id LIMIT :limit {d.lock_skip}"
    )


@cache
def _mark(d: Dialect) -> str:
    return f"{mark(d, ':started_at')} WHERE {d.among('id', 'ids')}"


async def add(db: Connection, d: Dialect, runs: Sequence[NewRun], still: JobHead | None = None) -> list[RunRecord]:
    if still is not None:
        raise NeedsTransaction
    insert = insert_of(d, runs)
    await put(db, d, insert.unless_over, insert.rows, list(map(insert.values, runs)))
    return await run_list.live(db, d, runs[0].project_id, [run.id for run in runs])


async def renew(db: Connection, d: Dialect, worker_id: str, run_ids: Sequence[str], lease: float) -> Sequence[Row]:
    rows = await db.fetch(leases.held(d), {"worker_id": worker_id, "ids": run_ids})
    if rows:
        ids = [row["id"] for row in rows]
        await db.execute(f"{leases.longer(d)} WHERE {d.among('id', 'ids')}", {"lease": lease, "ids": ids})
    return rows


async def move(db: Connection, d: Dialect, move: Move, values: Sequence[Sequence[Any]]) -> set[str]:
    params, append = d.rows_params(move.rows, values), _append(d, move)
    if d.insert_returns:
        ids = {row["id"] for row in await db.fetch(f"{append} RETURNING id", params)}
    else:
        ids = {row["id"] for row in await db.fetch(_owned(d, move), params)}
        if ids:
            await db.execute(append, params)
    if ids:
        await db.execute(f"DELETE FROM runs WHERE {d.among('id', 'ids')}", {"ids": ids})
    return ids


@cache
def _owned(d: Dialect, move: Move) -> str:
    return f"SELECT r.id FROM {move.rows.sql} {d.by_key('runs', 'r')} ON {move.fits} {d.lock_of('r')}"


@cache
def _append(d: Dialect, move: Move) -> str:
    into = history.append([*move.values, *move.fixed])
    values = ", ".join([*move.values.values(), *move.fixed.values()])
    return f"{into} {values} FROM {move.rows.sql} JOIN runs r ON {move.fits}"


async def beat(db: Connection, d: Dialect, update: str, params: Params) -> Sequence[Row]:
    await db.execute(update, params)
    return await db.fetch("SELECT drain_requested_by FROM workers WHERE id = :id", {"id": params["id"]})


async def renew_scheduler(db: Connection, d: Dialect, beat: str, params: Params) -> SchedulerStanding:
    lease = {"lease": params["lease"]}
    registered = bool(await db.execute(beat, params))
    shards = [int(row["shard"]) for row in await db.fetch(shard_leases.held(d), {"id": params["id"]})]
    if shards:
        await db.execute(f"{shard_leases.longer(d)} WHERE {d.among('shard', 'shards')}", {"shards": shards, **lease})
    live = [row["id"] for row in await db.fetch(f"SELECT id {shard_leases.live(d)}", lease)]
    return SchedulerStanding(registered, shards, live)
