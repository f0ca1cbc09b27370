"""`operations`: long-running operations with progress. A row is locked by the transaction that advances it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from horae.domain.pages import Page
from horae.domain.runs.operation import NewOperation, Operation
from horae.store.dialects.base import Row
from horae.store.rows import Reading, dump, load_object, some, words

_COLUMNS = words("id project_id kind state job_id details done total error created_by created_at finished_at")


class _Part(NamedTuple):
    """A run of an operation, or of none."""

    operation_id: str | None


class OperationTable(Reading):
    async def insert(self, operation: NewOperation) -> None:
        await self.db.execute(
            "INSERT INTO operations (id, project_id, kind, state, job_id, details, done, total, fingerprint, "
            "created_by, created_at) VALUES (:id, :project_id, :kind, 'running', :job_id, :details, 0, :total, "
            f":fingerprint, :actor, {self.d.now})",
            {
                "id": operation.id,
                "project_id": operation.project_id,
                "kind": operation.kind,
                "job_id": operation.job_id,
                "details": dump(operation.details),
                "total": operation.total,
                "actor": operation.actor,
                "fingerprint": operation.fingerprint,
            },
        )

    async def find(self, project_id: str | None, operation_id: str, *, lock: bool = False) -> Operation | None:
        scope = "" if project_id is None else " AND project_id = :project_id"
        rows = await self.db.fetch(
            f"SELECT {', '.join(_COLUMNS)} FROM operations WHERE id = :id{scope} {self.d.lock if lock else ''}",
            {"id": operation_id, "project_id": project_id},
        )
        return _operation(rows[0]) if rows else None

    async def same(self, job_id: str, fingerprint: str) -> Operation | None:
        rows = await self.db.fetch(
            f"SELECT {', '.join(_COLUMNS)} FROM operations WHERE job_id = :job_id AND fingerprint = :fingerprint "
            "AND state IN ('running', 'done') ORDER BY id DESC LIMIT 1",
            {"job_id": job_id, "fingerprint": fingerprint},
        )
        return _operation(rows[0]) if rows else None

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Operation]:
        where = "project_id = :project_id" + ("" if after is None else " AND id < :after")
        rows = await self.db.fetch(
            f"SELECT {', '.join(_COLUMNS)} FROM operations WHERE {where} ORDER BY id DESC LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_operation(row) for row in rows], limit, lambda one: one.id)

    async def progress(self, operation_id: str, *, done: int, details: dict[str, Any]) -> None:
        await self.db.execute(
            "UPDATE operations SET done = :done, details = :details WHERE id = :id",
            {"id": operation_id, "done": done, "details": dump(details)},
        )

    async def finish(self, operation_id: str, state: str, error: str | None = None) -> None:
        await self.db.execute(
            f"UPDATE operations SET state = :state, error = :error, finished_at = {self.d.now} WHERE id = :id",
            {"id": operation_id, "state": state, "error": error},
        )

    async def of_ended(self, run_ids: Collection[str]) -> list[str]:
        """The operations that these ended runs belong to, one entry per run."""
        ended = await self.history.pick(_Part, run_ids)
        return [run.operation_id for run in ended if run.operation_id is not None]

    async def unfinished(self, operation_id: str) -> list[str]:
        rows = await self.db.fetch("SELECT id FROM runs WHERE operation_id = :id ORDER BY id", {"id": operation_id})
        return [row["id"] for row in rows]

    async def running_of(self, job_id: str) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT id FROM operations WHERE job_id = :job_id AND state = 'running' ORDER BY id {self.d.lock}",
            {"job_id": job_id},
        )
        return [row["id"] for row in rows]

    async def under_way(self, kinds: Collection[str], limit: int) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT id FROM operations WHERE state = 'running' AND {self.d.among('kind', 'kinds')} "
            f"ORDER BY id LIMIT :limit {self.d.lock_skip}",
            {"kinds": some(kinds), "limit": limit},
        )
        return [row["id"] for row in rows]

    async def prune(self, older_than: float, limit: int) -> int:
        return await self.delete_old("operations", "finished_at", older_than, limit, "state <> 'running'")


def _operation(row: Row) -> Operation:
    values = {column: row[column] for column in _COLUMNS}
    values["details"] = load_object(values["details"])
    return Operation(**values)
