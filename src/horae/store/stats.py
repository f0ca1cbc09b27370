"""`job_stats`, `run_stats`, `stat_deltas`: counters. Whoever ends runs appends what it adds; a roll-up sums it soon
after. What is read is the sum of both, so it is exact at any moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.records import Tally
from horae.ports import Ids
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row, Rows
from horae.store.rows import Group, batch

_COUNTED = ("succeeded", "failed", "cancelled", "skipped")
_SUMS = ("retries", "timed_out", "duration_ms")
_DELTA = ("id", "job_id", "project_id", "status", "runs", "duration_ms", "retries", "timed_out", "run_id")


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows: Rows = batch(d, tables.stat_deltas, *_DELTA)
        self.add = d.insert_from("stat_deltas", self.add_rows, {"at": d.now})
        self.take = (
            "SELECT id, job_id, project_id, status, runs, duration_ms, retries, timed_out, run_id, at "
            f"FROM stat_deltas ORDER BY id LIMIT :limit {d.lock_skip}"
        )
        self.job_rows = batch(
            d,
            tables.job_stats,
            *("job_id", "project_id", "last_run_id", "last_run_at", "last_status", *_COUNTED, *_SUMS),
        )
        newest = "CASE WHEN {new} IS NULL THEN {old} ELSE {new} END"
        self.job = d.upsert(
            d.insert_from("job_stats", self.job_rows),
            ["job_id"],
            {
                **dict.fromkeys(("last_run_id", "last_run_at", "last_status"), newest),
                **dict.fromkeys((*_COUNTED, *_SUMS), "{old} + {new}"),
            },
        )
        self.hour_rows = batch(d, tables.run_stats, "job_id", "hour", "status", "project_id", "runs", "duration_ms")
        self.hour = d.upsert(
            d.insert_from("run_stats", self.hour_rows),
            ["job_id", "hour", "status"],
            {"runs": "{old} + {new}", "duration_ms": "{old} + {new}"},
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class StatTable(Group):
    def __init__(self, db: Connection, dialect: Dialect, ids: Ids) -> None:
        super().__init__(db, dialect)
        self._ids = ids

    async def add(self, tallies: Sequence[Tally]) -> None:
        sql = _sql(self.d)
        values = [
            (
                self._ids.new(),
                t.job_id,
                t.project_id,
                t.status,
                t.count,
                t.duration_ms,
                t.retries,
                t.timed_out,
                t.run_id,
            )
            for t in tallies
        ]
        await self.put(sql.add, sql.add_rows, values)

    async def roll_up(self, limit: int) -> int:
        sql = _sql(self.d)
        rows = await self.db.fetch(sql.take, {"limit": limit})
        if not rows:
            return 0
        await self.put(sql.job, sql.job_rows, _per_job(rows))
        await self.put(sql.hour, sql.hour_rows, _per_hour(rows))
        await self.db.execute(
            f"DELETE FROM stat_deltas WHERE {self.d.among('id', 'ids')}", {"ids": [row["id"] for row in rows]}
        )
        return len(rows)

    async def totals(self, project_id: str) -> dict[str, int]:
        sums = ", ".join(f"COALESCE(SUM({column}), 0) AS {column}" for column in (*_COUNTED, *_SUMS))
        (row,) = await self.db.fetch(
            f"SELECT {sums} FROM job_stats WHERE project_id = :project_id", {"project_id": project_id}
        )
        totals = {column: int(row[column]) for column in (*_COUNTED, *_SUMS)}
        pending = await self.db.fetch(
            "SELECT status, SUM(runs) AS runs, SUM(duration_ms) AS duration_ms, SUM(retries) AS retries, "
            "SUM(timed_out) AS timed_out FROM stat_deltas WHERE project_id = :project_id GROUP BY status",
            {"project_id": project_id},
        )
        for row in pending:
            if row["status"] in _COUNTED:
                totals[row["status"]] += int(row["runs"])
            for column in _SUMS:
                totals[column] += int(row[column])
        return totals


def _per_job(rows: Sequence[Row]) -> list[list[Any]]:
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: dict.fromkeys((*_COUNTED, *_SUMS), 0))
    last: dict[str, Row] = {}
    for row in rows:
        job = sums[row["job_id"], row["project_id"]]
        if row["status"] in _COUNTED:
            job[row["status"]] += row["runs"]
        for column in _SUMS:
            job[column] += row[column]
        if row["run_id"] is not None and _newer(row, last.get(row["job_id"])):
            last[row["job_id"]] = row
    # In key order, as every batch of upserts: two roll-ups then wait for each other instead of deadlocking.
    return [
        [
            job_id,
            project_id,
            *((newest["run_id"], newest["at"], newest["status"]) if (newest := last.get(job_id)) else [None] * 3),
            *(counts[column] for column in (*_COUNTED, *_SUMS)),
        ]
        for (job_id, project_id), counts in sorted(sums.items())
    ]


def _newer(row: Row, than: Row | None) -> bool:
    return than is None or bool(row["at"] >= than["at"])


def _per_hour(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    sums: dict[tuple[str, datetime, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row["status"] in _COUNTED:
            hour = row["at"].replace(minute=0, second=0, microsecond=0)
            entry = sums[row["job_id"], hour, row["status"], row["project_id"]]
            entry[0] += row["runs"]
            entry[1] += row["duration_ms"]
    return [(*key, *entry) for key, entry in sorted(sums.items())]


async def latest_runs(db: Connection, d: Dialect, job_ids: Sequence[str]) -> dict[str, tuple[datetime, str]]:
    """When each job's newest ended run ended, and how."""
    found: dict[str, tuple[datetime, str]] = {}
    rows = await db.fetch(
        f"SELECT job_id, last_run_at, last_status FROM job_stats WHERE {d.among('job_id', 'ids')}",
        {"ids": list(job_ids)},
    )
    for row in rows:
        if row["last_run_at"] is not None:
            found[row["job_id"]] = (row["last_run_at"], row["last_status"])
    pending = await db.fetch(
        f"SELECT job_id, at, status FROM stat_deltas WHERE {d.among('job_id', 'ids')} AND run_id IS NOT NULL",
        {"ids": list(job_ids)},
    )
    for row in pending:
        if row["job_id"] not in found or row["at"] >= found[row["job_id"]][0]:
            found[row["job_id"]] = (row["at"], row["status"])
    return found
