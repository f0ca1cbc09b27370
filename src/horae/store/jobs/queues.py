"""`queues`: the queues that jobs name, and whether they are paused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from horae.domain.jobs.queue import QueueRecord, QueueUse
from horae.domain.pages import Page
from horae.domain.runs.stranded import Stranded, Want
from horae.store import tables
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Telling, batch, some
from horae.store.runs import stranded

DEFAULT = "default"


@cache
def _name_rows(d: Dialect) -> Rows:
    return batch(d, tables.queues, "name")


class QueueTable(Telling):
    async def page(
        self, use: QueueUse, *, limit: int, after: str | None, names: Collection[str] | None = None
    ) -> Page[QueueRecord]:
        chosen = "" if names is None else f"AND {self.d.among('name', 'names')} "
        rows = await self.db.fetch(
            "SELECT name, paused_at, paused_by, engine FROM queues "
            f"WHERE name > :after {chosen}ORDER BY name LIMIT :more",
            {"after": after or "", "more": limit + 1, **({} if names is None else {"names": some(names)})},
        )
        return Page.of([_record(row, use.counts) for row in rows], limit, lambda one: one.name)

    async def use_of(self, project_id: str) -> QueueUse:
        rows = await self.db.fetch(
            f"SELECT DISTINCT {self.d.part('plan', 'queue')} AS queue FROM jobs WHERE project_id = :project_id",
            {"project_id": project_id},
        )
        counts = await self._counts(project_id)
        return QueueUse({row["queue"] for row in rows} | {queue for queue, _ in counts}, counts)

    async def find(self, project_id: str, name: str, *, lock: bool = False) -> QueueRecord | None:
        rows = await self.db.fetch(
            f"SELECT name, paused_at, paused_by, engine FROM queues WHERE name = :name {self.d.lock if lock else ''}",
            {"name": name},
        )
        return _record(rows[0], await self._counts(project_id, name)) if rows else None

    async def paused(self, names: Collection[str]) -> dict[str, QueueRecord]:
        rows = await self.db.fetch(
            f"SELECT name, paused_at, paused_by, engine FROM queues WHERE {self.d.among('name', 'names')} "
            "AND paused_at IS NOT NULL",
            {"names": some(names)},
        )
        return {row["name"]: _record(row, {}) for row in rows}

    async def add(self, name: str) -> None:
        """Whether or not a job names it."""
        added = self.d.insert_from("queues", _name_rows(self.d), {"created_at": self.d.now})
        await self.put(self.d.ignore_duplicates(added), _name_rows(self.d), [(name,)])

    async def pause(self, name: str, actor: str) -> None:
        await self.db.execute(
            f"UPDATE queues SET paused_at = {self.d.now}, paused_by = :actor WHERE name = :name",
            {"name": name, "actor": actor},
        )

    async def resume(self, name: str) -> None:
        await self.db.execute("UPDATE queues SET paused_at = NULL, paused_by = NULL WHERE name = :name", {"name": name})
        self.after.offer.queues.add(name)

    async def engines(self) -> dict[str, str]:
        rows = await self.db.fetch("SELECT name, engine FROM queues WHERE engine IS NOT NULL")
        return {row["name"]: row["engine"] for row in rows}

    async def choose_engine(self, name: str, engine: str | None) -> None:
        await self.db.execute("UPDATE queues SET engine = :engine WHERE name = :name", {"name": name, "engine": engine})

    async def unused(self, older_than: float) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT name FROM queues WHERE {self._forgettable}", {"older_than": older_than, "kept": DEFAULT}
        )
        if not rows:
            return []
        named = await self.db.fetch(
            f"SELECT DISTINCT {self.d.part('plan', 'queue')} AS queue FROM jobs UNION SELECT DISTINCT queue FROM runs"
        )
        known = {row["queue"] for row in named}
        # An unreadable job may name any of them.
        return [] if None in known else sorted({row["name"] for row in rows} - known)

    async def forget(self, names: Collection[str], older_than: float) -> int:
        return await self.db.execute(
            f"DELETE FROM queues WHERE {self.d.among('name', 'names')} AND {self._forgettable}",
            {"names": some(names), "older_than": older_than, "kept": DEFAULT},
        )

    @property
    def _forgettable(self) -> str:
        return (
            "paused_at IS NULL AND engine IS NULL AND name <> :kept "
            f"AND COALESCE(named_at, created_at) < {self.d.earlier(':older_than')} "
            "AND NOT EXISTS (SELECT 1 FROM queue_projects WHERE queue = queues.name)"
        )

    async def wants(self) -> list[Want]:
        return await stranded.wants(self.db, self.d)

    async def stranded(self, wanted: Sequence[Want], patience: float) -> list[Stranded]:
        return await stranded.stranded(self.db, self.d, wanted, patience)

    async def waiting_jobs(self, job_ids: Sequence[str], patience: float) -> set[str]:
        return await stranded.waiting(self.db, self.d, job_ids, patience)

    async def _counts(self, project_id: str, name: str | None = None) -> dict[tuple[str, str], int]:
        only = "" if name is None else " AND queue = :name"
        rows = await self.db.fetch(
            f"SELECT queue, status, COUNT(*) AS n FROM runs WHERE project_id = :project_id{only} "
            "GROUP BY queue, status",
            {"project_id": project_id, "name": name},
        )
        return {(row["queue"], row["status"]): int(row["n"]) for row in rows}


def _record(row: Row, counts: Mapping[tuple[str, str], int]) -> QueueRecord:
    name = row["name"]
    queued, running = (counts.get((name, status), 0) for status in ("queued", "running"))
    return QueueRecord(name, row["paused_at"], row["paused_by"], queued, running, engine=row["engine"])
