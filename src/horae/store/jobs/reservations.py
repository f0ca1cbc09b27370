"""`queue_projects`: which queues are reserved for which projects. A queue without a row here is open to all."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from horae.store import tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, batch, some


@cache
def _rows(d: Dialect) -> Rows:
    return batch(d, tables.queue_projects, "queue", "project_id", "reserved_by")


class ReservationTable(Group):
    async def lock(self, queue: str) -> None:
        await self.db.fetch(f"SELECT name FROM queues WHERE name = :name {self.d.lock}", {"name": queue})

    async def hold(self, queue: str) -> None:
        await self.db.fetch(f"SELECT name FROM queues WHERE name = :name {self.d.lock_shared}", {"name": queue})

    async def projects(self, queues: Collection[str]) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        if queues:
            rows = await self.db.fetch(
                "SELECT q.queue, p.id, p.slug FROM queue_projects q JOIN projects p ON p.id = q.project_id "
                f"WHERE {self.d.among('q.queue', 'queues')} ORDER BY p.slug",
                {"queues": some(queues)},
            )
            for row in rows:
                found.setdefault(row["queue"], {})[row["id"]] = row["slug"]
        return found

    async def queues(self, project_ids: Collection[str], *, hold: bool = False) -> list[str]:
        if not project_ids:
            return []
        mine, other = self.d.among("mine.project_id", "ids"), self.d.among("other.project_id", "ids")
        rows = await self.db.fetch(
            "SELECT name FROM queues WHERE name IN "
            f"(SELECT mine.queue FROM queue_projects mine WHERE {mine}) AND NOT EXISTS "
            f"(SELECT 1 FROM queue_projects other WHERE other.queue = queues.name AND NOT ({other})) "
            f"ORDER BY name {self.d.lock_shared if hold else ''}",
            {"ids": some(project_ids)},
        )
        return [row["name"] for row in rows]

    async def queues_of(self, project_id: str, *, limit: int, after: str | None) -> list[str]:
        rows = await self.db.fetch(
            "SELECT queue FROM queue_projects WHERE project_id = :project_id AND queue > :after "
            "ORDER BY queue LIMIT :limit",
            {"project_id": project_id, "after": after or "", "limit": limit},
        )
        return [row["queue"] for row in rows]

    async def reserve(self, queue: str, project_ids: Collection[str], actor: str) -> None:
        await self.db.execute("DELETE FROM queue_projects WHERE queue = :queue", {"queue": queue})
        insert = self.d.insert_from("queue_projects", _rows(self.d), {"reserved_at": self.d.now})
        await self.put(insert, _rows(self.d), [(queue, project_id, actor) for project_id in sorted(project_ids)])

    async def strangers(self, queue: str, project_ids: Collection[str]) -> dict[str, tuple[int, int]]:
        params = {"queue": queue, "ids": some(project_ids)}
        found: dict[str, list[int]] = {}
        for place, (table, named) in enumerate((("jobs", self.d.part("x.plan", "queue")), ("runs", "x.queue"))):
            rows = await self.db.fetch(
                f"SELECT p.slug, COUNT(*) AS n FROM {table} x JOIN projects p ON p.id = x.project_id "
                f"WHERE {named} = :queue AND NOT ({self.d.among('x.project_id', 'ids')}) GROUP BY p.slug",
                params,
            )
            for row in rows:
                found.setdefault(row["slug"], [0, 0])[place] = int(row["n"])
        return {slug: (jobs, runs) for slug, (jobs, runs) in sorted(found.items())}
