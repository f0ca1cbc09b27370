"""`runs`: what is queued and running. Claiming, leases, ending and listing have files of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

from horae.domain.pages import Page
from horae.domain.runs.changes import Glance
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.events import RunsQueued
from horae.domain.runs.run import NOT_AHEAD, Ahead, Claimant, Claimed, NewRun, Overdue, RunRecord
from horae.domain.runs.run_filter import RunFilter
from horae.store import claims, history, run_list, tables
from horae.store.dialects.base import Dialect, Row, Rows, listed
from horae.store.leases import Leases
from horae.store.rows import batch, load, some, words
from horae.store.run_filter import RunPageQuery

_new = [field.name for field in fields(NewRun)]
_NEW = tuple(name for name in _new if not tables.runs.columns[name].nullable and name != "due_at")
_MAY_BE_NEW = tuple(name for name in _new if name not in _NEW)
_perhaps = attrgetter(*_MAY_BE_NEW)
_TRIED = words("n worker_id started_at finished_at duration_ms outcome exit_code response_code error traceback result")


class _Insert:
    """Of runs that have these columns: most have few of those that they may have, and what is not there costs nothing
    on its way."""

    def __init__(self, d: Dialect, more: tuple[str, ...]) -> None:
        columns = (*_NEW, *more)
        self.values = attrgetter(*columns)
        self.rows: Rows = batch(d, tables.runs, *columns)
        plain = [column for column in columns if column != "due_at"]
        due_at = f"COALESCE(v.due_at, {d.now})" if "due_at" in more else d.now
        self.plain = (
            f"INSERT INTO runs ({listed(plain)}, due_at, status, attempt, uncounted, created_at) "
            f"SELECT {listed(plain, 'v.')}, {due_at}, 'queued', 0, 0, {d.now} FROM {self.rows.sql}"
        )
        # Whoever asks brings the id, and may be so late that the run it made has ended already.
        self.unless_over = f"{self.plain} WHERE {history.absent('v.id')}"
        # Of one, mostly: with the id as a parameter, a partitioned history is looked at in one partition alone.
        self.one_unless_over = f"{self.plain} WHERE {history.absent(':only')}"


@cache
def _insert_of(d: Dialect, more: tuple[str, ...]) -> _Insert:
    return _Insert(d, more)


def _insert(d: Dialect, runs: Sequence[NewRun]) -> _Insert:
    columns = zip(_MAY_BE_NEW, zip(*map(_perhaps, runs), strict=True), strict=True)
    return _insert_of(d, tuple(name for name, values in columns if values.count(None) < len(runs)))


class RunTable(Leases):
    async def insert(self, runs: Sequence[NewRun]) -> None:
        if runs:
            insert = _insert(self.d, runs)
            await self.put(insert.plain, insert.rows, list(map(insert.values, runs)))
            self._tell(runs)

    async def add(self, runs: Sequence[NewRun]) -> list[RunRecord]:
        if not runs:
            return []
        insert = _insert(self.d, runs)
        values = list(map(insert.values, runs))
        self._tell(runs)
        if self.d.with_may_change:  # one round trip for both: this is what a run that somebody asks for waits for
            params = self.d.rows_params(insert.rows, values)
            if len(runs) == 1:
                return await run_list.add(self.db, self.d, insert.one_unless_over, params | {"only": runs[0].id})
            return await run_list.add(self.db, self.d, insert.unless_over, params)
        await self.put(insert.unless_over, insert.rows, values)
        return await self.live(runs[0].project_id, [run.id for run in runs])

    def _tell(self, runs: Sequence[NewRun]) -> None:
        self.after.tell(RunsQueued(runs))
        self.after.offer.add(Claimable(run.id, run.queue, run.priority) for run in runs if not run.held)

    async def claim(
        self,
        *,
        claimant: Claimant,
        token: str,
        queues: Sequence[str],
        limit: int,
        lease: float,
        ahead: Ahead = NOT_AHEAD,
    ) -> list[Claimed]:
        return await claims.claim(
            self.db,
            self.d,
            claimant=claimant,
            token=token,
            queues=queues,
            limit=limit,
            lease=lease,
            ahead=ahead,
        )

    async def next_due(self, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, datetime]:
        return await claims.next_due(self.db, self.d, queues, offers)

    async def claimed(self, worker_id: str, token: str) -> list[Claimed]:
        return await claims.claimed(self.db, worker_id, token)

    async def renew(self, worker_id: str, run_ids: Collection[str], lease: float) -> list[tuple[str, str, bool]]:
        if not run_ids:
            return []
        # Only what the worker knows it holds: a claim whose reply was lost must run out.
        mine = f"worker_id = :worker_id AND status = 'running' AND {self.d.among('id', 'ids')}"
        params = {"worker_id": worker_id, "ids": some(run_ids)}
        held = f"SELECT id, token, cancel_requested_at FROM runs WHERE {mine} ORDER BY id {self.d.lock}"
        longer = f"UPDATE runs SET lease_until = {self.d.later(':lease')}"
        if self.d.with_may_change:  # one round trip: far from the database, leases hang on it
            rows = await self.db.fetch(
                f"WITH held AS MATERIALIZED ({held}) {longer} FROM held WHERE runs.id = held.id "
                "RETURNING held.id, held.token, held.cancel_requested_at",
                {**params, "lease": lease},
            )
        elif rows := await self.db.fetch(held, params):
            ids = [row["id"] for row in rows]
            await self.db.execute(f"{longer} WHERE {self.d.among('id', 'ids')}", {"lease": lease, "ids": ids})
        return [(row["id"], row["token"], row["cancel_requested_at"] is not None) for row in rows]

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        rows = await self.db.fetch(
            "SELECT id, token FROM runs WHERE worker_id = :worker_id AND status = 'running' "
            "AND cancel_requested_at IS NOT NULL",
            {"worker_id": worker_id},
        )
        return [(row["id"], row["token"]) for row in rows]

    async def overdue(self, limit: int) -> list[Overdue]:
        rows = await self.db.fetch(
            """SELECT id, job_id, version, project_id, "trigger" FROM runs WHERE status = 'queued' AND attempt = 0 """
            f"AND start_by IS NOT NULL AND start_by < {self.d.now} ORDER BY start_by LIMIT :limit {self.d.lock_skip}",
            {"limit": limit},
        )
        return [Overdue(row["id"], row["job_id"], row["version"], row["project_id"], row["trigger"]) for row in rows]

    async def chores(self) -> set[str]:
        over = "status = 'running' AND lease_until <"
        late = "status = 'queued' AND attempt = 0 AND start_by IS NOT NULL AND start_by <"
        (row,) = await self.db.fetch(
            "SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running') AS running, "
            f"EXISTS (SELECT 1 FROM runs WHERE {over} {self.d.now}) AS lost, "
            f"EXISTS (SELECT 1 FROM runs WHERE {late} {self.d.now}) AS overdue, "
            "EXISTS (SELECT 1 FROM stat_deltas) AS tallies, EXISTS (SELECT 1 FROM job_deletions) AS deletions, "
            "EXISTS (SELECT 1 FROM operations WHERE state = 'running' AND kind IN ('redrive', 'discard')) AS operations"
        )
        return {chore for chore in ("running", "lost", "overdue", "tallies", "deletions", "operations") if row[chore]}

    async def live(self, project_id: str, run_ids: Collection[str], *, lock: bool = False) -> list[RunRecord]:
        if not run_ids:
            return []
        if lock:  # on its own: a joined row would be locked too
            await self.db.fetch(
                f"SELECT id FROM runs WHERE {self.d.among('id', 'ids')} AND project_id = :project_id "
                f"ORDER BY id {self.d.lock}",
                {"ids": some(run_ids), "project_id": project_id},
            )
        return await run_list.live(self.db, self.d, project_id, some(run_ids))

    async def under_way(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        return await self._of_jobs("held = FALSE", job_ids)

    async def live_of(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        return await self._of_jobs("TRUE", job_ids)

    async def _of_jobs(self, which: str, job_ids: Collection[str]) -> list[tuple[str, str]]:
        if not job_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT id, project_id FROM runs WHERE {self.d.among('job_id', 'ids')} AND {which}",
            {"ids": some(job_ids)},
        )
        return [(row["id"], row["project_id"]) for row in rows]

    async def request_cancel(self, run_ids: Collection[str], actor: str) -> None:
        if run_ids:
            await self.db.execute(
                f"UPDATE runs SET cancel_requested_at = {self.d.now}, cancel_requested_by = :actor "
                f"WHERE {self.d.among('id', 'ids')} AND cancel_requested_at IS NULL",
                {"ids": some(run_ids), "actor": actor},
            )

    async def find(self, project_id: str, run_id: str) -> RunRecord | None:
        return await run_list.find(self.db, self.d, self.history, project_id, run_id)

    async def page(
        self, project_id: str, where: RunFilter, *, limit: int, after: str | None, oldest_first: bool = False
    ) -> Page[RunRecord]:
        asked = RunPageQuery(project_id, where, limit, after, oldest_first)
        return await run_list.page(self.db, self.d, self.history, asked)

    async def glance(self, project_id: str, limit: int) -> list[Glance]:
        rows = await self.db.fetch(
            "SELECT id, status, attempt, created_at, started_at, cancel_requested_at FROM runs "
            "WHERE project_id = :project_id ORDER BY id DESC LIMIT :limit",
            {"project_id": project_id, "limit": limit},
        )
        return [_glance(row) for row in rows]

    async def some(self, project_id: str, run_ids: Collection[str]) -> list[RunRecord]:
        return await run_list.some(self.db, self.d, self.history, project_id, list(run_ids)) if run_ids else []

    async def attempts(self, run_id: str) -> list[dict[str, Any]]:
        rows = await self.db.fetch(
            f"SELECT {', '.join(_TRIED)} FROM attempts WHERE run_id = :run_id ORDER BY n", {"run_id": run_id}
        )
        return [{column: row[column] for column in _TRIED} | {"result": load(row["result"])} for row in rows]


def _glance(row: Row) -> Glance:
    asked = row["cancel_requested_at"]
    at = max(at for at in (row["created_at"], row["started_at"], asked) if at is not None)
    return Glance(row["id"], row["status"], row["attempt"], asked is not None, at)
