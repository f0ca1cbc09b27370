"""`runs`, `run_history`, `attempts`, `dead_letters`: live runs, and their one move to history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.outcome import Outcome
from horae.domain.records import Dead, Page, RunFilter
from horae.domain.run import Claimed, Ending, Leased, NewRun, Overdue, Requeue, RunRecord, Skipped, Tried
from horae.store import claims, run_list, tables
from horae.store.dialects.base import Dialect, Row, Rows, listed
from horae.store.rows import Group, batch, some

_NEW = (
    *(
        "id",
        "job_id",
        "version",
        "project_id",
        "trigger",
        "occurrence",
        "scheduled_for",
        "due_at",
        "start_by",
    ),
    *(
        "queue",
        "priority",
        "needs",
        "held",
        "input",
        "parent_run_id",
        "rerun_of",
        "scheduler_id",
        "triggered_by",
    ),
)
_SKIPPED = (
    *("id", "job_id", "version", "project_id", "queue", "priority", "reason", "occurrences"),
    *("scheduled_for", "scheduled_until", "due_at", "scheduler_id"),
)
_CARRIED = (  # what a run takes along to history
    *(
        "id",
        "job_id",
        "version",
        "project_id",
        "trigger",
        "scheduled_for",
        "due_at",
        "queue",
        "priority",
        "attempt",
    ),
    *(
        "uncounted",
        "worker_id",
        "started_at",
        "input",
        "progress",
        "parent_run_id",
        "rerun_of",
        "scheduler_id",
    ),
    *("triggered_by", "created_at"),
)
_BROUGHT = ("status", "reason", "result", "error", "traceback", "exit_code", "response_code")
_LEASED = (
    "id, job_id, version, project_id, queue, attempt, uncounted, token, worker_id, started_at, cancel_requested_at"
)
_NOTHING = Outcome(kind=None)  # type: ignore[arg-type]


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.new_rows: Rows = batch(d, tables.runs, *_NEW)
        columns = [c for c in _NEW if c != "due_at"]
        self.insert = (
            f"INSERT INTO runs ({listed(columns)}, due_at, status, attempt, uncounted, created_at) "
            f"SELECT {listed(columns, 'v.')}, COALESCE(v.due_at, {d.now}), 'queued', 0, 0, {d.now} "
            f"FROM {self.new_rows.sql}"
        )
        self.skip_rows = batch(d, tables.run_history, *_SKIPPED)
        self.skip = d.insert_from(
            "run_history",
            self.skip_rows,
            {
                "trigger": "'schedule'",
                "status": "'skipped'",
                "attempt": "0",
                "uncounted": "0",
                "finished_at": d.now,
                "created_at": d.now,
            },
        )
        self.pair_rows = batch(d, tables.runs, "id", "token")
        self.leased = (
            f"SELECT {', '.join('r.' + c for c in _LEASED.split(', '))} FROM {self.pair_rows.sql} "
            f"JOIN runs r ON r.id = v.id AND r.token = v.token WHERE r.status = 'running' {d.lock_of('r')}"
        )
        self.end_rows = batch(d, tables.ending_batch, "id", "token", *_BROUGHT)
        self.history = (
            f"INSERT INTO run_history ({listed(_CARRIED)}, {listed(_BROUGHT)}, occurrences, finished_at, duration_ms) "
        )
        self.moved = (
            f"SELECT {listed(_CARRIED, 'r.')}, {listed(_BROUGHT, 'v.')}, 1, {d.now}, {d.millis('r.started_at', d.now)} "
        )
        self.fits = f"r.id = v.id AND {d.same('r.token', 'v.token')}"
        self.requeue_rows = batch(d, tables.requeue_batch, "id", "token", "pause", "uncounted")
        self.requeue = d.update_from(
            "runs",
            self.requeue_rows,
            {
                "status": "'queued'",
                "due_at": d.later("v.pause"),
                "uncounted": "runs.uncounted + v.uncounted",
                "worker_id": "NULL",
                "token": "NULL",
                "lease_until": "NULL",
                "started_at": "NULL",
            },
            "runs.id = v.id AND runs.token = v.token",
        )
        self.tried_rows = batch(
            d,
            tables.attempts,
            *(
                "run_id",
                "n",
                "worker_id",
                "started_at",
                "outcome",
                "exit_code",
                "response_code",
                "error",
                "traceback",
            ),
        )
        self.tried = d.ignore_duplicates(d.insert_from("attempts", self.tried_rows, {"finished_at": d.now}))
        self.dead_rows = batch(d, tables.dead_letters, "run_id", "job_id", "project_id", "fingerprint")
        self.bury = d.ignore_duplicates(d.insert_from("dead_letters", self.dead_rows, {"failed_at": d.now}))


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


@cache
def _end_at_once(d: Dialect) -> str:
    """Delete and append in one statement, one round trip for a batch: the hot end of every run."""
    sql = _sql(d)
    gone = ", ".join([f"r.{c} AS r_{c}" for c in _CARRIED] + [f"v.{c} AS v_{c}" for c in _BROUGHT])
    carried = ", ".join([f"r_{c}" for c in _CARRIED] + [f"v_{c}" for c in _BROUGHT])
    return (
        f"WITH gone AS (DELETE FROM runs r USING {sql.end_rows.sql} WHERE {sql.fits} RETURNING {gone}) "
        f"{sql.history} SELECT {carried}, 1, {d.now}, {d.millis('r_started_at', d.now)} FROM gone RETURNING id"
    )


class RunTable(Group):
    async def insert(self, runs: Sequence[NewRun]) -> None:
        sql = _sql(self.d)
        await self.put(sql.insert, sql.new_rows, [_new_values(run) for run in runs])

    async def skip(self, skipped: Sequence[Skipped]) -> None:
        sql = _sql(self.d)
        values = [
            (
                s.id,
                s.job_id,
                s.version,
                s.project_id,
                s.queue,
                s.priority,
                s.reason,
                s.occurrences,
                s.scheduled_for,
                s.scheduled_until,
                s.scheduled_for,
                s.scheduler_id,
            )
            for s in skipped
        ]
        await self.put(sql.skip, sql.skip_rows, values)

    async def claim(
        self,
        *,
        worker_id: str,
        token: str,
        queues: Sequence[str],
        offers: Collection[str],
        limit: int,
        lease: float,
    ) -> list[Claimed]:
        return await claims.claim(
            self.db,
            self.d,
            worker_id=worker_id,
            token=token,
            queues=queues,
            offers=offers,
            limit=limit,
            lease=lease,
        )

    async def next_due(self, queues: Sequence[str], offers: Collection[str]) -> datetime | None:
        return await claims.next_due(self.db, self.d, queues, offers)

    async def renew(self, worker_id: str, lease: float) -> list[tuple[str, str, bool]]:
        mine = "worker_id = :worker_id AND status = 'running'"
        await self.db.execute(
            f"UPDATE runs SET lease_until = {self.d.later(':lease')} WHERE {mine}",
            {"worker_id": worker_id, "lease": lease},
        )
        rows = await self.db.fetch(
            f"SELECT id, token, cancel_requested_at FROM runs WHERE {mine}", {"worker_id": worker_id}
        )
        return [(row["id"], row["token"], row["cancel_requested_at"] is not None) for row in rows]

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        rows = await self.db.fetch(
            "SELECT id, token FROM runs WHERE worker_id = :worker_id AND status = 'running' "
            "AND cancel_requested_at IS NOT NULL",
            {"worker_id": worker_id},
        )
        return [(row["id"], row["token"]) for row in rows]

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
            f"SELECT {_LEASED} FROM runs WHERE status = 'running' AND {over} "
            f"ORDER BY id LIMIT :limit {self.d.lock_skip}",
            params,
        )
        return [_leased(row) for row in rows]

    async def overdue(self, limit: int) -> list[Overdue]:
        rows = await self.db.fetch(
            "SELECT id, job_id, version, project_id FROM runs WHERE status = 'queued' AND attempt = 0 "
            f"AND start_by IS NOT NULL AND start_by < {self.d.now} ORDER BY id LIMIT :limit {self.d.lock_skip}",
            {"limit": limit},
        )
        return [Overdue(row["id"], row["job_id"], row["version"], row["project_id"]) for row in rows]

    async def lock_live(self, project_id: str, run_ids: Collection[str]) -> list[RunRecord]:
        if not run_ids:
            return []
        await self.db.fetch(
            f"SELECT id FROM runs WHERE {self.d.among('id', 'ids')} AND project_id = :project_id "
            f"ORDER BY id {self.d.lock}",
            {"ids": some(run_ids), "project_id": project_id},
        )
        return await run_list.live(self.db, self.d, project_id, some(run_ids))

    async def live_of(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        if not job_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT id, project_id FROM runs WHERE {self.d.among('job_id', 'ids')}", {"ids": some(job_ids)}
        )
        return [(row["id"], row["project_id"]) for row in rows]

    async def end(self, endings: Sequence[Ending]) -> set[str]:
        if not endings:
            return set()
        sql = _sql(self.d)
        params = self.d.rows_params(sql.end_rows, [_ending_values(ending) for ending in endings])
        if self.d.arrays:
            return {row["id"] for row in await self.db.fetch(_end_at_once(self.d), params)}
        rows = await self.db.fetch(
            f"SELECT r.id FROM {sql.end_rows.sql} JOIN runs r ON {sql.fits} {self.d.lock_of('r')}", params
        )
        ids = {row["id"] for row in rows}
        if ids:
            await self.db.execute(
                f"{sql.history} {sql.moved} FROM {sql.end_rows.sql} JOIN runs r ON {sql.fits}", params
            )
            await self.db.execute(f"DELETE FROM runs WHERE {self.d.among('id', 'ids')}", {"ids": ids})
        return ids

    async def requeue(self, requeues: Sequence[Requeue]) -> None:
        sql = _sql(self.d)
        values = [(r.id, r.token, r.pause, 0 if r.counted else 1) for r in requeues]
        await self.put(sql.requeue, sql.requeue_rows, values)

    async def request_cancel(self, run_ids: Collection[str]) -> None:
        if run_ids:
            await self.db.execute(
                f"UPDATE runs SET cancel_requested_at = {self.d.now} WHERE {self.d.among('id', 'ids')} "
                "AND cancel_requested_at IS NULL",
                {"ids": some(run_ids)},
            )

    async def tried(self, attempts: Sequence[Tried]) -> None:
        sql = _sql(self.d)
        values = [
            (
                t.run_id,
                t.n,
                t.worker_id,
                t.started_at,
                t.outcome.kind,
                t.outcome.exit_code,
                t.outcome.response_code,
                t.outcome.error,
                t.outcome.traceback,
            )
            for t in attempts
        ]
        await self.put(sql.tried, sql.tried_rows, values)

    async def bury(self, dead: Sequence[Dead]) -> None:
        sql = _sql(self.d)
        await self.put(sql.bury, sql.dead_rows, [(x.run_id, x.job_id, x.project_id, x.fingerprint) for x in dead])

    async def find(self, project_id: str, run_id: str) -> RunRecord | None:
        return await run_list.find(self.db, self.d, project_id, run_id)

    async def page(self, project_id: str, where: RunFilter, *, limit: int, after: str | None) -> Page[RunRecord]:
        return await run_list.page(self.db, self.d, project_id, where, limit=limit, after=after)

    async def attempts(self, run_id: str) -> list[dict[str, Any]]:
        columns = "n, worker_id, started_at, finished_at, outcome, exit_code, response_code, error, traceback"
        rows = await self.db.fetch(
            f"SELECT {columns} FROM attempts WHERE run_id = :run_id ORDER BY n", {"run_id": run_id}
        )
        return [{key: row[key] for key in columns.split(", ")} for row in rows]


def _new_values(run: NewRun) -> tuple[Any, ...]:
    return (
        run.id,
        run.job_id,
        run.version,
        run.project_id,
        run.trigger,
        run.occurrence,
        run.scheduled_for,
        run.due_at,
        run.start_by,
        run.queue,
        run.priority,
        run.needs,
        run.held,
        run.input,
        run.parent_run_id,
        run.rerun_of,
        run.scheduler_id,
        run.triggered_by,
    )


def _ending_values(ending: Ending) -> tuple[Any, ...]:
    outcome = ending.outcome or _NOTHING
    return (
        ending.id,
        ending.token,
        ending.status,
        ending.reason,
        outcome.result,
        outcome.error,
        outcome.traceback,
        outcome.exit_code,
        outcome.response_code,
    )


def _leased(row: Row) -> Leased:
    return Leased(
        row["id"],
        row["job_id"],
        row["version"],
        row["project_id"],
        row["queue"],
        row["attempt"],
        row["uncounted"],
        row["token"],
        row["worker_id"],
        row["started_at"],
        row["cancel_requested_at"],
    )
