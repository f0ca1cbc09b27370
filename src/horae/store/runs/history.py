"""`run_history`: ended runs. No other file of the store names this table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from operator import attrgetter

from horae.domain.explain.facts import EndedRun
from horae.domain.runs.changes import Glance
from horae.domain.runs.events import RunsSkipped
from horae.domain.runs.run import Skipped
from horae.domain.runs.run_filter import RecentRun, RunFilter
from horae.domain.runs.run_record import RunRecord
from horae.ports.history import Shape
from horae.store import tables
from horae.store.dialects.base import Dialect, Rows, listed, quoted
from horae.store.rows import Telling, batch, some
from horae.store.runs.run_filter import RunPageQuery
from horae.store.runs.run_record import ENDED_COLUMNS, records, select

_NEWEST = 1_000  # rows of a job to scan, where no index fits the query
_SKIPPED = (*(field.name for field in fields(Skipped)), "due_at")
_skipped_values = attrgetter(*(field.name for field in fields(Skipped)), "scheduled_for")
_IN_SHORT = tuple(field.name for field in fields(EndedRun))
_ENDED = select("run_history", ENDED_COLUMNS)


def append(columns: Sequence[str]) -> str:
    """The start of a statement that appends rows with these columns."""
    return f"INSERT INTO run_history ({listed(columns)}) SELECT"


def absent(run_id: str) -> str:
    """The condition that a run has not ended."""
    return f"NOT EXISTS (SELECT 1 FROM run_history h WHERE h.id = {run_id})"


@cache
def _skip(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.run_history, *_SKIPPED)
    fixed = {"status": "'skipped'", "attempt": "0", "uncounted": "0", "finished_at": d.now, "created_at": d.now}
    return d.insert_from("run_history", rows, fixed), rows


@cache
def _short(d: Dialect) -> str:
    return select("run_history", ENDED_COLUMNS, d)


@cache
def _recent(d: Dialect, count: int) -> str:
    """A few entries of the index for each job, however long its history: not every database has LATERAL."""
    columns = f"job_id, id, status, {d.time('finished_at', 'finished_at')}, duration_ms"
    parts = (
        f"SELECT * FROM (SELECT {columns} FROM run_history WHERE job_id = :j{n} ORDER BY id DESC LIMIT :limit) AS r{n}"
        for n in range(count)
    )
    return " UNION ALL ".join(parts)


class HistoryTable(Telling):
    async def skip(self, skipped: Sequence[Skipped]) -> None:
        sql, rows = _skip(self.d)
        await self.put(sql, rows, [_skipped_values(row) for row in skipped])
        self.after.tell(RunsSkipped(skipped))

    async def runs(self, project_id: str, run_ids: Collection[str], *, short: bool = False) -> list[RunRecord]:
        if not run_ids:
            return []
        rows = await self.db.fetch(
            f"{_short(self.d) if short else _ENDED} WHERE {self.d.among('r.id', 'ids')} "
            "AND r.project_id = :project_id ORDER BY r.id",
            {"ids": some(run_ids), "project_id": project_id},
        )
        return await records(self.db, self.d, rows, ENDED_COLUMNS, short=short)

    async def page(
        self, project_id: str, where: RunFilter, *, limit: int, after: str | None, oldest_first: bool = False
    ) -> list[RunRecord]:
        tail, params = RunPageQuery(project_id, where, limit, after, oldest_first).tail(self.d)
        rows = await self.db.fetch(_short(self.d) + tail, params)
        return await records(self.db, self.d, rows, ENDED_COLUMNS, short=True)

    async def pick(self, shape: type[Shape], run_ids: Collection[str]) -> list[Shape]:
        if not run_ids:
            return []
        columns = shape._fields
        rows = await self.db.fetch(
            f"SELECT {', '.join(map(quoted, columns))} FROM run_history WHERE {self.d.among('id', 'ids')} ORDER BY id",
            {"ids": some(run_ids)},
        )
        return [shape._make(row[column] for column in columns) for row in rows]

    async def recent(self, job_ids: Sequence[str], limit: int) -> dict[str, list[RecentRun]]:
        found: dict[str, list[RecentRun]] = {job_id: [] for job_id in job_ids}
        if not job_ids:
            return found
        params = {f"j{n}": job_id for n, job_id in enumerate(job_ids)}
        for row in await self.db.fetch(_recent(self.d, len(job_ids)), {**params, "limit": limit}):
            one = RecentRun(row["id"], row["status"], row["finished_at"], row["duration_ms"])
            found[row["job_id"]].append(one)
        for runs in found.values():
            runs.sort(key=lambda run: run.id, reverse=True)
        return found

    async def newest(self, job_id: str, limit: int) -> list[EndedRun]:
        rows = await self.db.fetch(
            f"SELECT {', '.join(_IN_SHORT)} FROM run_history WHERE job_id = :job_id ORDER BY id DESC LIMIT :limit",
            {"job_id": job_id, "limit": limit},
        )
        return [EndedRun(*(row[column] for column in _IN_SHORT)) for row in rows]

    async def latest_failed(self, job_id: str) -> str | None:
        rows = await self.db.fetch(
            "SELECT n.id FROM (SELECT id, status FROM run_history WHERE job_id = :job_id "
            f"ORDER BY id DESC LIMIT {_NEWEST}) n WHERE n.status = 'failed' ORDER BY n.id DESC LIMIT 1",
            {"job_id": job_id},
        )
        return rows[0]["id"] if rows else None

    async def skips(self, job_id: str, since: datetime) -> dict[str, int]:
        rows = await self.db.fetch(
            "SELECT reason, SUM(occurrences) AS n FROM (SELECT status, reason, occurrences, created_at "
            f"FROM run_history WHERE job_id = :job_id ORDER BY id DESC LIMIT {_NEWEST}) AS newest "
            "WHERE status = 'skipped' AND created_at >= :since GROUP BY reason ORDER BY reason",
            {"job_id": job_id, "since": since},
        )
        return {row["reason"]: int(row["n"]) for row in rows}

    async def ended(self, project_id: str, since: datetime, limit: int) -> list[Glance]:
        # Only the newest: there is no index on when runs ended, and old ones that end now were seen while they were
        # live.
        rows = await self.db.fetch(
            "SELECT n.id, n.status, n.attempt, n.finished_at FROM (SELECT id, status, attempt, finished_at "
            "FROM run_history WHERE project_id = :project_id ORDER BY id DESC LIMIT :limit) n "
            "WHERE n.finished_at >= :since",
            {"project_id": project_id, "since": since, "limit": limit},
        )
        return [Glance(row["id"], row["status"], row["attempt"], False, row["finished_at"]) for row in rows]

    async def of_jobs(self, job_ids: Collection[str], younger_than: float | None = None) -> set[str]:
        if not job_ids:
            return set()
        jobs = batch(self.d, tables.run_history, "job_id")
        recent = "" if younger_than is None else f" AND h.finished_at >= {self.d.earlier(':age')}"
        rows = await self.db.fetch(
            f"SELECT v.job_id FROM {jobs.sql} "
            f"WHERE EXISTS (SELECT 1 FROM run_history h WHERE h.job_id = v.job_id{recent})",
            {**self.d.rows_params(jobs, [(job_id,) for job_id in job_ids]), "age": younger_than},
        )
        return {row["job_id"] for row in rows}

    async def versions(self, job_id: str, newest: int) -> set[int]:
        rows = await self.db.fetch(
            "SELECT DISTINCT version FROM run_history WHERE job_id = :job_id AND version <= :newest",
            {"job_id": job_id, "newest": newest},
        )
        return {row["version"] for row in rows}

    async def prune(self, older_than: float, limit: int, after: str) -> tuple[int, int, str]:
        before = await self.id_before(older_than)
        rows = await self.db.fetch(
            f"SELECT h.id, h.finished_at < {self.d.earlier(':older_than')} "
            "AND NOT EXISTS (SELECT 1 FROM dead_letters x WHERE x.run_id = h.id) AS is_over "
            "FROM run_history h WHERE h.id > :after AND h.id < :before ORDER BY h.id LIMIT :limit",
            {"older_than": older_than, "limit": limit, "after": after, "before": before},
        )
        ids = [row["id"] for row in rows if row["is_over"]]
        if ids:
            for table, column in (("run_logs", "run_id"), ("attempts", "run_id"), ("run_history", "id")):
                await self.db.execute(f"DELETE FROM {table} WHERE {self.d.among(column, 'ids')}", {"ids": ids})
        return len(rows), len(ids), rows[-1]["id"] if rows else after
