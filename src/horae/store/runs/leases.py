"""Leases on running runs, for verbs that end or recover a run: each row is locked, and identified by its fencing
token."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from horae.domain.runs.claim import Leased, Park
from horae.domain.runs.ending import Over
from horae.ports import History
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row, listed
from horae.store.rows import batch, put, some, words

_LEASED = words(
    "id job_id version project_id queue priority attempt uncounted token worker_id started_at cancel_requested_at "
    "trigger due_at parked needs traceparent"
)


class _Last(NamedTuple):
    """The last attempt of an ended run."""

    job_id: str
    version: int
    project_id: str
    attempt: int
    status: str
    error: str | None
    result: str | None


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.pair_rows = batch(d, tables.runs, "id", "token")
        self.leased = (
            f"SELECT {listed(_LEASED, 'r.')} FROM {self.pair_rows.sql} "
            f"{d.by_key('runs', 'r')} ON r.id = v.id AND r.token = v.token WHERE r.status = 'running' "
            f"ORDER BY r.id {d.lock_of('r')}"
        )
        self.park_rows = batch(d, tables.requeue_batch, "id", "token", "pause", "started_at")
        self.park = d.update_from(
            "runs",
            self.park_rows,
            {
                "parked": "TRUE",
                "worker_id": "NULL",
                "lease_until": d.later("v.pause"),
                "started_at": "COALESCE(v.started_at, runs.started_at)",
            },
            "runs.id = v.id AND runs.token = v.token AND NOT runs.parked",  # repeating it does not move the deadline
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


def held(d: Dialect) -> str:
    """Locks the runs that the worker holds and knows about: a claim whose reply was lost must expire."""
    return (
        "SELECT id, token, cancel_requested_at FROM runs WHERE worker_id = :worker_id AND status = 'running' "
        f"AND {d.among('id', 'ids')} ORDER BY id {d.lock}"
    )


def longer(d: Dialect) -> str:
    return f"UPDATE runs SET lease_until = {d.later(':lease')}"


async def cancelling(db: Connection, worker_id: str) -> list[tuple[str, str]]:
    rows = await db.fetch(
        "SELECT id, token FROM runs WHERE worker_id = :worker_id AND status = 'running' "
        "AND cancel_requested_at IS NOT NULL",
        {"worker_id": worker_id},
    )
    return [(row["id"], row["token"]) for row in rows]


async def leased(db: Connection, d: Dialect, pairs: Sequence[tuple[str, str]]) -> list[Leased]:
    if not pairs:
        return []
    sql = _sql(d)
    rows = await db.fetch(sql.leased, d.rows_params(sql.pair_rows, pairs))
    return [_leased(row) for row in rows]


async def expired(db: Connection, d: Dialect, limit: int, dead_workers: Collection[str] = ()) -> list[Leased]:
    over = f"lease_until < {d.now}"
    params: dict[str, Any] = {"limit": limit}
    if dead_workers:
        over = f"({over} OR {d.among('worker_id', 'dead')})"
        params["dead"] = some(dead_workers)
    rows = await db.fetch(
        f"SELECT {listed(_LEASED)} FROM runs WHERE status = 'running' AND {over} "
        f"LIMIT :limit {d.lock_skip}",  # unordered: with ORDER BY id, SQLite would read the whole table
        params,
    )
    return sorted(map(_leased, rows), key=attrgetter("id"))


async def park(db: Connection, d: Dialect, parks: Sequence[Park]) -> None:
    sql = _sql(d)
    await put(db, d, sql.park, sql.park_rows, [(park.id, park.token, park.seconds, park.started_at) for park in parks])


async def parked(db: Connection, d: Dialect, run_ids: Collection[str]) -> list[Leased]:
    if not run_ids:
        return []
    rows = await db.fetch(
        f"SELECT {listed(_LEASED)} FROM runs WHERE {d.among('id', 'ids')} AND parked ORDER BY id",
        {"ids": some(run_ids)},
    )
    return [_leased(row) for row in rows]


async def answering(db: Connection, d: Dialect, run_id: str, attempt: int) -> Leased | None:
    rows = await db.fetch(
        f"SELECT {listed(_LEASED)} FROM runs WHERE id = :id AND attempt = :attempt AND status = 'running' {d.lock}",
        {"id": run_id, "attempt": attempt},
    )
    return _leased(rows[0]) if rows else None


async def over(db: Connection, history: History, run_id: str, attempt: int) -> Over | None:
    tried = await db.fetch(
        "SELECT a.outcome, a.error, r.job_id, r.version, r.project_id FROM attempts a "
        "LEFT JOIN runs r ON r.id = a.run_id WHERE a.run_id = :id AND a.n = :attempt",
        {"id": run_id, "attempt": attempt},
    )
    if tried and tried[0]["job_id"] is not None:
        row = tried[0]
        return Over(row["job_id"], row["version"], row["project_id"], row["outcome"], row["error"], None)
    for run in await history.pick(_Last, [run_id]):
        if tried:  # and so not its last attempt: the run ended later, perhaps without another one
            return Over(run.job_id, run.version, run.project_id, tried[0]["outcome"], tried[0]["error"], None)
        if run.attempt == attempt:
            return Over(run.job_id, run.version, run.project_id, run.status, run.error, run.result)
    return None


def _leased(row: Row) -> Leased:
    values = {column: row[column] for column in _LEASED}
    values["parked"] = bool(values["parked"])
    return Leased(**values)
