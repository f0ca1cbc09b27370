"""The contents of a database, through verbs or directly from its tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from horae.domain.jobs.job_record import JobRecord, VersionRecord
from horae.domain.pages import Page
from horae.domain.runs.operation import Operation
from horae.domain.runs.run_filter import RunFilter
from horae.domain.runs.run_record import RunRecord
from horae.ports import Transaction
from horae.store.open import choose
from tests.contract.opened import Opened
from tests.contract.values import Row, id_of


class Sight(Opened):
    async def find(self, run: Any) -> RunRecord:
        found = await self.store.read(_find, self.project, id_of(run))
        assert found is not None
        return found

    async def look(self, job: JobRecord | str) -> JobRecord:
        found = await self.store.read(_job, self.project, id_of(job))
        assert found is not None
        return found

    async def versions(self, job: JobRecord | str) -> list[VersionRecord]:
        return await self.store.read(_versions, id_of(job))

    async def operation(self, operation: Operation) -> Operation:
        found = await self.store.read(_operation, operation.id)
        assert found is not None
        return found

    async def page(
        self, *, limit: int = 50, after: str | None = None, oldest_first: bool = False, **where: Any
    ) -> Page[RunRecord]:
        return await self.store.read(_page, self.project, RunFilter(**where), limit, after, oldest_first)

    async def totals(self) -> dict[str, int]:
        return await self.store.read(_totals, self.project)

    async def live(self, job: JobRecord | str | None = None) -> list[Row]:
        return await self._of("runs", job)

    async def history(self, job: JobRecord | str | None = None, *, status: str | None = None) -> list[Row]:
        return [row for row in await self._of("run_history", job) if status in (None, row["status"])]

    async def _of(self, table: str, job: JobRecord | str | None) -> list[Row]:
        rows = await self.rows(f"SELECT * FROM {table} ORDER BY id")
        return rows if job is None else [row for row in rows if row["job_id"] == id_of(job)]

    async def rows(self, sql: str, **params: Any) -> list[Row]:
        """Straight from the database, for what no verb shows."""
        found: Any = await self.plain.fetch(sql, params)
        return [dict(row) for row in found]

    async def snapshot(self, tables: Collection[str]) -> dict[str, list[Row]]:
        return {table: await self.rows(f"SELECT * FROM {table}") for table in tables}

    async def execute(self, sql: str, **params: Any) -> int:
        return await self.plain.execute(sql, params)

    @asynccontextmanager
    async def holding(self, sql: str, **params: Any) -> AsyncIterator[None]:
        """Executes a statement in a transaction that stays open meanwhile, and is rolled back."""
        connection = await choose(self.url, self.clock.now)[1]()
        try:
            await connection.begin()
            await connection.fetch(sql, params)
            yield
            await connection.rollback()
        finally:
            await connection.close()


async def _find(tx: Transaction, project: str, run_id: str) -> RunRecord | None:
    return await tx.runs.find(project, run_id)


async def _job(tx: Transaction, project: str, ref: str) -> JobRecord | None:
    return await tx.jobs.find(project, ref)


async def _versions(tx: Transaction, job_id: str) -> list[VersionRecord]:
    return await tx.jobs.versions(job_id)


async def _operation(tx: Transaction, operation_id: str) -> Operation | None:
    return await tx.operations.find(None, operation_id)


async def _page(
    tx: Transaction, project: str, where: RunFilter, limit: int, after: str | None, oldest_first: bool
) -> Page[RunRecord]:
    return await tx.runs.page(project, where, limit=limit, after=after, oldest_first=oldest_first)


async def _totals(tx: Transaction, project: str) -> dict[str, int]:
    return dict((await tx.stats.summary(project)).ended)
