"""Leases on running runs, for verbs that end or take away a run: each row is locked, and known by its fencing token."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from horae.domain.runs.run import Leased, Over, Park
from horae.store import tables
from horae.store.dialects.base import Dialect, Row, listed
from horae.store.endings import Endings
from horae.store.rows import batch, some, words

_LEASED = words(
    "id job_id version project_id queue priority attempt uncounted token worker_id started_at cancel_requested_at "
    "trigger parked needs"
)

_WHOSE = ("job_id", "version", "project_id")


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
            "runs.id = v.id AND runs.token = v.token AND NOT runs.parked",  # a repetition moves no deadline
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class Leases(Endings):
    async def leased(self, pairs: Sequence[tuple[str, str]]) -> list[Leased]:
        if not pairs:
            return []
        sql = _sql(self.d)
        rows = await self.db.fetch(sql.leased, self.d.rows_params(sql.pair_rows, pairs))
        return [_leased(row) for row in rows]

    async def expired(self, limit: int, dead_workers: Collection[str] = ()) -> list[Leased]:
        over = f"lease_until < {self.d.now}"
        params: dict[str, Any] = {"limit": limit}
        if dead_workers:
            over = f"({over} OR {self.d.among('worker_id', 'dead')})"
            params["dead"] = some(dead_workers)
        rows = await self.db.fetch(
            f"SELECT {listed(_LEASED)} FROM runs WHERE status = 'running' AND {over} "
            f"LIMIT :limit {self.d.lock_skip}",  # in no order: sorted by id, SQLite would read the whole table
            params,
        )
        return sorted(map(_leased, rows), key=attrgetter("id"))

    async def park(self, parks: Sequence[Park]) -> None:
        sql = _sql(self.d)
        await self.put(
            sql.park, sql.park_rows, [(park.id, park.token, park.seconds, park.started_at) for park in parks]
        )

    async def parked(self, run_ids: Collection[str]) -> list[Leased]:
        if not run_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT {listed(_LEASED)} FROM runs WHERE {self.d.among('id', 'ids')} AND parked ORDER BY id",
            {"ids": some(run_ids)},
        )
        return [_leased(row) for row in rows]

    async def answering(self, run_id: str, attempt: int) -> Leased | None:
        rows = await self.db.fetch(
            f"SELECT {listed(_LEASED)} FROM runs WHERE id = :id AND attempt = :attempt AND status = 'running' "
            f"{self.d.lock}",
            {"id": run_id, "attempt": attempt},
        )
        return _leased(rows[0]) if rows else None

    async def over(self, run_id: str, attempt: int) -> Over | None:
        tried = await self.db.fetch(
            "SELECT a.outcome, a.error, r.job_id, r.version, r.project_id FROM attempts a "
            "LEFT JOIN runs r ON r.id = a.run_id WHERE a.run_id = :id AND a.n = :attempt",
            {"id": run_id, "attempt": attempt},
        )
        ended = {}
        if not tried or tried[0]["job_id"] is None:
            ended = await self.history.pick([run_id], (*_WHOSE, "attempt", "status", "error", "result"))
        if tried:  # and so not the last: its run may be live, or have ended later without a further attempt
            whose = ended.get(run_id, tried[0])
            return _over(whose, tried[0]["outcome"], tried[0]["error"], None)
        run = ended.get(run_id)
        if run is None or run["attempt"] != attempt:
            return None
        return _over(run, run["status"], run["error"], run["result"])


def _over(whose: Row | Mapping[str, Any], outcome: str, error: str | None, result: str | None) -> Over:
    return Over(whose["job_id"], whose["version"], whose["project_id"], outcome, error, result)


def _leased(row: Row) -> Leased:
    values = {column: row[column] for column in _LEASED}
    values["parked"] = bool(values["parked"])
    return Leased(**values)
