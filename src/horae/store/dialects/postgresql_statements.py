"""PostgreSQL's hot statements (`HotStatements`) as writable CTEs: each is a single statement, so one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from operator import itemgetter
from typing import Any

from horae.domain.cluster.process import SchedulerStanding
from horae.domain.jobs.job_record import JobHead
from horae.domain.runs.claim import Claimed, ClaimRequest
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_record import RunRecord
from horae.store import shard_leases
from horae.store.dialects.base import Connection, Dialect, Move, Params, Row, listed
from horae.store.jobs import heads
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
from horae.store.runs.lanes import PAUSED, params, ready, skip_scan
from horae.store.runs.run_insert import insert_of

single = True


async def claim(db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
    claimant = request.claimant
    asked = {**params(d, claimant.offers, request.queues), **mine_params(claimant), "limit": request.most}
    sql = _claim(d, bound=bool(claimant.project_ids), ahead=request.ahead.runs > 0)
    return await _claimed(db, request, sql, asked)


async def claim_by_id(db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
    bound, ahead = bool(request.claimant.project_ids), request.ahead.runs > 0
    sql = _claim_by_id(d, in_queues=request.queues is not None, bound=bound, ahead=ahead)
    return await _claimed(db, request, sql, named_params(request))


async def _claimed(db: Connection, request: ClaimRequest, sql: str, asked: dict[str, Any]) -> list[Claimed]:
    asked = {**mark_params(request), **asked}
    if not request.ahead.runs:
        rows = await db.fetch(sql, asked)
        return [claimed_run(row, request.token, row["attempt"], row["started_at"]) for row in rows]
    return _in_order(request, await db.fetch(sql, {**asked, "slots": request.limit, "ahead": request.ahead.seconds}))


def _in_order(request: ClaimRequest, rows: Sequence[Row]) -> list[Claimed]:
    first = timedelta(seconds=request.ahead.seconds)
    return [
        claimed_run(row, request.token, row["attempt"], row["started_at"])
        if row["place"] <= request.limit
        else claimed_run(row, request.token, row["attempt"], row["started_at"] - first, ahead=True)
        for row in sorted(rows, key=itemgetter("place"))
    ]


@cache
def _claim(d: Dialect, *, bound: bool, ahead: bool = False) -> str:
    """`picked` is MATERIALIZED, because inlined the LIMIT would not bound what is updated. Where several needs share a
    queue and a priority, the heads of their lanes are merged by time before any row is locked. A lane is read from its
    head on: what was taken before it stays in the index until a vacuum, and is passed once, not twice."""
    where = f"{ready()} AND queue = due.queue AND priority = due.priority AND due_at <= {d.now}{mine(d, bound=bound)}"
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
    return (
        f"WITH RECURSIVE {skip_scan(d, given=True)}, "
        "due AS MATERIALIZED (SELECT queue, priority, "
        "array_position(CAST(:asked_name AS text[]), CAST(queue AS text)) AS place, "
        "array_agg(needs) AS needs, array_agg(due_at) AS heads, array_agg(id) AS ids FROM lane "
        f"WHERE due_at <= {d.now} AND NOT {PAUSED.format(queue='lane.queue')} "
        "GROUP BY queue, priority ORDER BY place, priority DESC), "
        "picked AS MATERIALIZED (SELECT taken.id FROM due CROSS JOIN LATERAL ("
        f"SELECT id FROM ({one}) AS one WHERE cardinality(due.needs) = 1 UNION ALL "
        f"SELECT id FROM ({several}) AS several WHERE cardinality(due.needs) > 1) AS taken LIMIT :limit) "
        f"{_marked(d, ahead=ahead)}"
    )


_TAKEN = listed([*COLUMNS, "started_at"], "runs.")


def _marked(d: Dialect, *, ahead: bool) -> str:
    """Claims what was `picked`. `ahead`: what is picked beyond the free slots has a start to come, and may be left (see
    Ahead)."""
    if not ahead:
        return f"{mark(d, d.now)} FROM picked WHERE runs.id = picked.id RETURNING {_TAKEN}"
    started_at = f"CASE WHEN picked.place > :slots THEN {d.later(':ahead')} ELSE {d.now} END"
    return (
        ", numbered AS (SELECT id, row_number() OVER () AS place FROM picked) "
        f"{mark(d, started_at)} FROM numbered AS picked WHERE runs.id = picked.id "
        "AND (picked.place <= :slots OR (runs.attempt = 0 AND runs.start_by IS NULL)) "
        f"RETURNING {_TAKEN}, picked.place"
    )


@cache
def _claim_by_id(d: Dialect, *, in_queues: bool, bound: bool, ahead: bool) -> str:
    picked = take_named(d, ("id",), in_queues=in_queues, bound=bound)
    return f"WITH picked AS MATERIALIZED ({picked}) {_marked(d, ahead=ahead)}"


async def add(db: Connection, d: Dialect, runs: Sequence[NewRun], still: JobHead | None = None) -> list[RunRecord]:
    insert = insert_of(d, runs)
    params, adding = d.rows_params(insert.rows, list(map(insert.values, runs))), insert.unless_over
    if len(runs) == 1:
        params["only"], adding = runs[0].id, insert.one_unless_over
    if still is None:
        return await run_list.added(db, d, f"WITH added AS ({adding} RETURNING *)", params)
    # Locked as it is found: a deletion that came first leaves no row, one that comes later finds the runs.
    job, holds = heads.still(d)
    params |= heads.still_params(still)
    adding = f"{adding} AND EXISTS (SELECT 1 FROM job WHERE {holds})"
    return await run_list.added(db, d, f"WITH job AS MATERIALIZED ({job}), added AS ({adding} RETURNING *)", params)


async def renew(db: Connection, d: Dialect, worker_id: str, run_ids: Sequence[str], lease: float) -> Sequence[Row]:
    return await db.fetch(
        f"WITH held AS MATERIALIZED ({leases.held(d)}) {leases.longer(d)} FROM held WHERE runs.id = held.id "
        "RETURNING held.id, held.token, held.cancel_requested_at",
        {"worker_id": worker_id, "ids": run_ids, "lease": lease},
    )


async def move(db: Connection, d: Dialect, move: Move, values: Sequence[Sequence[Any]]) -> set[str]:
    return {row["id"] for row in await db.fetch(_move(d, move), d.rows_params(move.rows, values))}


@cache
def _move(d: Dialect, move: Move) -> str:
    gone = ", ".join(f"{value} AS its_{column}" for column, value in move.values.items())
    values = ", ".join([*(f"its_{column}" for column in move.values), *move.fixed.values()])
    return (
        f"WITH gone AS (DELETE FROM runs r USING {move.rows.sql} WHERE {move.fits} RETURNING {gone}) "
        f"{history.append([*move.values, *move.fixed])} {values} FROM gone RETURNING id"
    )


async def beat(db: Connection, d: Dialect, update: str, params: Params) -> Sequence[Row]:
    return await db.fetch(f"{update} RETURNING drain_requested_by", params)


async def renew_scheduler(db: Connection, d: Dialect, beat: str, params: Params) -> SchedulerStanding:
    found: dict[str, list[str]] = {"beaten": [], "kept": [], "live": []}
    for row in await db.fetch(
        f"WITH beaten AS ({beat} RETURNING id), held AS MATERIALIZED ({shard_leases.held(d)}), "
        f"kept AS ({shard_leases.longer(d)} FROM held WHERE shards.shard = held.shard RETURNING held.shard) "
        "SELECT 'beaten' AS what, CAST(id AS text) AS which FROM beaten "
        "UNION ALL SELECT 'kept', CAST(shard AS text) FROM kept "
        f"UNION ALL SELECT 'live', CAST(id AS text) {shard_leases.live(d)}",
        params,
    ):
        found[row["what"]].append(row["which"])
    return SchedulerStanding(bool(found["beaten"]), sorted(map(int, found["kept"])), found["live"])
