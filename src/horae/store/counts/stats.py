"""`job_stats`, `run_stats`, `stat_deltas`: counters. Transactions that end runs append deltas; a roll-up sums them soon
after. Readers add up both, so counts are exact at any moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.notify.notice import Recovery, of_success
from horae.domain.runs.states import RunStatus
from horae.domain.runs.statistics import Backlog, ChosenJob, Hour, JobStats, Summary
from horae.domain.runs.tally import Tally
from horae.ports import History, Ids
from horae.store.counts.chosen_jobs import chosen_jobs
from horae.store.counts.hours import days, hours
from horae.store.counts.job_stats import COUNTED as _COUNTED
from horae.store.counts.job_stats import SUMS as _SUMS
from horae.store.counts.job_stats import of_job
from horae.store.counts.series import ends, merge
from horae.store.counts.streaks import STANDING, standing_sets, standings
from horae.store.counts.summary import summary
from horae.store.counts.totals import add as add_totals
from horae.store.counts.totals import recount, totals
from horae.store.dialects.base import Connection, Dialect, Row, Rows
from horae.store.rows import Reading, batch, words
from horae.store.runs.crowds import count_backlog, count_dead, count_live
from horae.store.tables import counters as counter_tables
from horae.store.watching.notices import NoticeTable

_DELTA = words("id job_id project_id status runs duration_ms retries timed_out run_id reason detail")


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows: Rows = batch(d, counter_tables.stat_deltas, *_DELTA)
        self.add = d.insert_from("stat_deltas", self.add_rows, {"at": d.now})
        self.take = f"SELECT {', '.join(_DELTA)}, at FROM stat_deltas ORDER BY id LIMIT :limit {d.lock_skip}"
        self.job_rows = batch(d, counter_tables.job_stats, "job_id", "project_id", *_COUNTED, *_SUMS)
        self.job = d.upsert(
            d.insert_from("job_stats", self.job_rows),
            ["job_id"],
            dict.fromkeys((*_COUNTED, *_SUMS), "{old} + {new}"),
        )
        self.last_rows = batch(d, counter_tables.job_stats, "job_id", *STANDING)
        self.last = d.update_from("job_stats", self.last_rows, standing_sets(), "job_stats.job_id = v.job_id")
        self.hour_rows = batch(
            d, counter_tables.run_stats, "job_id", "hour", "status", "project_id", "runs", "duration_ms"
        )
        self.hour = d.upsert(
            d.insert_from("run_stats", self.hour_rows),
            ["job_id", "hour", "status"],
            {"runs": "{old} + {new}", "duration_ms": "{old} + {new}"},
        )
        self.skip_rows = batch(d, counter_tables.skip_stats, "job_id", "reason", "project_id", "occurrences", "last_at")
        self.skip = d.upsert(
            d.insert_from("skip_stats", self.skip_rows),
            ["job_id", "reason"],
            {"occurrences": "{old} + {new}", "last_at": "{new}"},
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class StatTable(Reading):
    def __init__(self, db: Connection, dialect: Dialect, history: History, ids: Ids) -> None:
        super().__init__(db, dialect, history)
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
                t.reason,
                t.detail,
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
        await NoticeTable(self.db, self.d).recovered(self._recoveries(rows))  # which reads what `last` changes
        await self.put(sql.last, sql.last_rows, standings(rows))
        await self.put(sql.hour, sql.hour_rows, _per_hour(rows))
        await self.put(sql.skip, sql.skip_rows, _per_reason(rows))
        await merge(self.db, self.d, ends(rows))
        await add_totals(self.db, self.d, rows)
        await self.db.execute(
            f"DELETE FROM stat_deltas WHERE {self.d.among('id', 'ids')}", {"ids": [row["id"] for row in rows]}
        )
        return len(rows)

    async def recount(self) -> int:
        return await recount(self.db, self.d)

    def _recoveries(self, rows: Sequence[Row]) -> list[Recovery]:
        """The jobs whose latest run succeeded; the statement filters out those that did not fail before."""
        failed_at: dict[str, datetime] = {}
        for row in rows:
            if row["status"] == RunStatus.FAILED and row["run_id"] is not None:
                failed_at[row["job_id"]] = min(failed_at.get(row["job_id"], row["at"]), row["at"])
        return [
            Recovery(
                of_success(
                    self._ids.new(),
                    job_id=row["job_id"],
                    project_id=row["project_id"],
                    run_id=row["run_id"],
                    at=row["at"],
                ),
                certain=job_id in failed_at and failed_at[job_id] < row["at"],
            )
            for job_id, row in _latest(rows).items()
            if row["status"] == RunStatus.SUCCEEDED
        ]

    async def summary(self, project_id: str | None) -> Summary:
        return await summary(self.db, self.d, project_id)

    async def hours(self, project_id: str, count: int, job_id: str | None = None) -> list[Hour]:
        return await hours(self.db, self.d, project_id, count, job_id)

    async def days(self, project_id: str, count: int, job_id: str | None = None) -> list[Hour]:
        return await days(self.db, self.d, project_id, count, job_id)

    async def overall(self) -> dict[str, dict[str, int]]:
        ended, skipped = await totals(self.db, None)
        live, dead = await count_live(self.db, self.d), await count_dead(self.db, self.d)
        return {"ended": ended, "skipped": skipped, "live": live, "dead": dead}

    async def chosen(self, jobs: Collection[tuple[str, str]]) -> list[ChosenJob]:
        return await chosen_jobs(self.db, self.d, jobs)

    async def backlog(self) -> list[Backlog]:
        return await count_backlog(self.db, self.d)

    async def of_job(self, job_id: str) -> JobStats:
        return await of_job(self.db, self.d, self.history, job_id)


def _per_job(rows: Sequence[Row]) -> list[list[Any]]:
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: dict.fromkeys((*_COUNTED, *_SUMS), 0))
    for row in rows:
        job = sums[row["job_id"], row["project_id"]]
        if row["status"] in _COUNTED:
            job[row["status"]] += row["runs"]
        for column in _SUMS:
            job[column] += row[column]
    # In key order, like every batch of upserts: two roll-ups then wait for each other instead of deadlocking.
    return [[*key, *counts.values()] for key, counts in sorted(sums.items())]


def _latest(rows: Sequence[Row]) -> dict[str, Row]:
    """By job, its newest ended run."""
    last: dict[str, Row] = {}
    for row in rows:
        known = last.get(row["job_id"])
        if row["run_id"] is not None and (known is None or row["at"] >= known["at"]):
            last[row["job_id"]] = row
    return last


def _per_hour(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    sums: dict[tuple[str, datetime, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row["status"] in _COUNTED:
            hour = row["at"].replace(minute=0, second=0, microsecond=0)
            entry = sums[row["job_id"], hour, row["status"], row["project_id"]]
            entry[0] += row["runs"]
            entry[1] += row["duration_ms"]
    return [(*key, *entry) for key, entry in sorted(sums.items())]


def _per_reason(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    last: dict[tuple[str, str, str], datetime] = {}
    for row in rows:
        if row["reason"] is not None:
            key = (row["job_id"], row["reason"], row["project_id"])
            sums[key] += row["runs"]
            last[key] = max(row["at"], last.get(key, row["at"]))
    return [(*key, occurrences, last[key]) for key, occurrences in sorted(sums.items())]


async def latest_runs(db: Connection, d: Dialect, job_ids: Sequence[str]) -> dict[str, tuple[datetime, str]]:
    """When each job's newest ended run ended, and how. In one statement, as for the totals."""
    mine = d.among("job_id", "ids")
    rows = await db.fetch(
        f"SELECT job_id, {d.time('last_run_at', 'at')}, last_status AS status FROM job_stats "
        f"WHERE {mine} AND last_run_at IS NOT NULL UNION ALL "
        f"SELECT job_id, at, status FROM stat_deltas WHERE {mine} AND run_id IS NOT NULL",
        {"ids": list(job_ids)},
    )
    found: dict[str, tuple[datetime, str]] = {}
    for row in rows:
        if row["job_id"] not in found or row["at"] >= found[row["job_id"]][0]:
            found[row["job_id"]] = (row["at"], row["status"])
    return found
