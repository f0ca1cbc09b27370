"""`runs`: queued and running runs. Claiming, leases, ending and listing have their own files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from horae.domain.jobs.job_record import JobHead
from horae.domain.pages import Page
from horae.domain.runs.attempts import AttemptRecord
from horae.domain.runs.changes import Glance
from horae.domain.runs.claim import Claimed, ClaimRequest, Leased, Park
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.ending import Ending, Over, Overdue, Requeue, Tried
from horae.domain.runs.events import RunsClaimed, RunsQueued
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_filter import RunFilter
from horae.domain.runs.run_record import RunRecord
from horae.ports import History
from horae.store.aftermath import Aftermath
from horae.store.dialects.base import Connection, Dialect, Row, listed
from horae.store.rows import Telling, load, some, words
from horae.store.runs import claims, endings, leases, run_list
from horae.store.runs.run_filter import RunPageQuery
from horae.store.runs.run_insert import insert_of

_OVERDUE = words("id job_id version project_id trigger due_at queue needs traceparent")


class RunTable(Telling):
    def __init__(self, db: Connection, dialect: Dialect, after: Aftermath, history: History) -> None:
        super().__init__(db, dialect, after)
        self.history = history

    async def insert(self, runs: Sequence[NewRun]) -> None:
        if runs:
            insert = insert_of(self.d, runs)
            await self.put(insert.plain, insert.rows, list(map(insert.values, runs)))
            self._tell(runs)

    async def add(self, runs: Sequence[NewRun], still: JobHead | None = None) -> list[RunRecord]:
        if not runs:
            return []
        self._tell(runs)
        return await self.d.hot.add(self.db, self.d, runs, still)

    def _tell(self, runs: Sequence[NewRun]) -> None:
        self.after.tell(RunsQueued(runs))
        self.after.offer.add(Claimable(run.id, run.queue, run.priority, run.due_at) for run in runs if not run.held)

    # Claims

    async def claim(self, request: ClaimRequest) -> list[Claimed]:
        found = await claims.claim(self.db, self.d, request)
        if found:
            self.after.claims.append(RunsClaimed(found, request.claimant.worker_id))
        return found

    async def next_due(self, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, datetime]:
        return await claims.next_due(self.db, self.d, queues, offers)

    async def claimed(self, worker_id: str, token: str) -> list[Claimed]:
        return await claims.claimed(self.db, worker_id, token)

    # Leases

    async def renew(self, worker_id: str, run_ids: Collection[str], lease: float) -> list[tuple[str, str, bool]]:
        if not run_ids:
            return []
        rows = await self.d.hot.renew(self.db, self.d, worker_id, some(run_ids), lease)
        return [(row["id"], row["token"], row["cancel_requested_at"] is not None) for row in rows]

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        return await leases.cancelling(self.db, worker_id)

    async def leased(self, pairs: Sequence[tuple[str, str]]) -> list[Leased]:
        return await leases.leased(self.db, self.d, pairs)

    async def expired(self, limit: int, dead_workers: Collection[str] = ()) -> list[Leased]:
        return await leases.expired(self.db, self.d, limit, dead_workers)

    async def park(self, parks: Sequence[Park]) -> None:
        await leases.park(self.db, self.d, parks)

    async def parked(self, run_ids: Collection[str]) -> list[Leased]:
        return await leases.parked(self.db, self.d, run_ids)

    async def answering(self, run_id: str, attempt: int) -> Leased | None:
        return await leases.answering(self.db, self.d, run_id, attempt)

    async def over(self, run_id: str, attempt: int) -> Over | None:
        return await leases.over(self.db, self.history, run_id, attempt)

    # Ends

    async def end(self, ended: Sequence[Ending]) -> set[str]:
        return await endings.end(self.db, self.d, ended)

    async def requeue(self, requeues: Sequence[Requeue]) -> None:
        await endings.requeue(self.db, self.d, requeues)
        self.after.offer.add(Claimable(r.id, r.queue, r.priority, pause=r.pause) for r in requeues)

    async def release(self, runs: Sequence[Leased]) -> None:
        await endings.release(self.db, self.d, runs)
        self.after.offer.add(Claimable(run.id, run.queue, run.priority) for run in runs)

    async def tried(self, attempts: Sequence[Tried]) -> None:
        await endings.tried(self.db, self.d, attempts)

    # Queued and active

    async def overdue(self, limit: int) -> list[Overdue]:
        rows = await self.db.fetch(
            f"SELECT {listed(_OVERDUE)} FROM runs WHERE status = 'queued' AND attempt = 0 "
            f"AND start_by IS NOT NULL AND start_by < {self.d.now} ORDER BY start_by LIMIT :limit {self.d.lock_skip}",
            {"limit": limit},
        )
        return [Overdue(**{column: row[column] for column in _OVERDUE}) for row in rows]

    async def live(self, project_id: str, run_ids: Collection[str], *, lock: bool = False) -> list[RunRecord]:
        if not run_ids:
            return []
        if lock:  # separate: a joined row would be locked too
            await self.db.fetch(
                f"SELECT id FROM runs WHERE {self.d.among('id', 'ids')} AND project_id = :project_id "
                f"ORDER BY id {self.d.lock}",
                {"ids": some(run_ids), "project_id": project_id},
            )
        return await run_list.live(self.db, self.d, project_id, some(run_ids))

    async def under_way(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        if not job_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT id, project_id FROM runs WHERE {self.d.among('job_id', 'ids')} AND held = FALSE",
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

    # Shown

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

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        columns = AttemptRecord._fields
        rows = await self.db.fetch(
            f"SELECT {', '.join(columns)} FROM attempts WHERE run_id = :run_id ORDER BY n", {"run_id": run_id}
        )
        found = [AttemptRecord(*(row[column] for column in columns)) for row in rows]
        return [attempt._replace(result=load(attempt.result)) for attempt in found]


def _glance(row: Row) -> Glance:
    asked = row["cancel_requested_at"]
    at = max(at for at in (row["created_at"], row["started_at"], asked) if at is not None)
    return Glance(row["id"], row["status"], row["attempt"], asked is not None, at)
