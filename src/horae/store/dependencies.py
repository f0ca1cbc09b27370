"""`job_dependencies`: which jobs start when another one's run ends."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.records import Follower
from horae.store.rows import Group, some


class DependencyTable(Group):
    async def lock(self) -> None:
        """Edits of the graph take turns: two that are each fine alone may close a circle together."""
        await self.db.fetch(f"SELECT id FROM installation {self.d.lock}")

    async def set(self, downstream_id: str, upstream_id: str | None, on: str | None) -> None:
        await self.db.execute("DELETE FROM job_dependencies WHERE downstream_id = :id", {"id": downstream_id})
        if upstream_id is not None:
            await self.db.execute(
                "INSERT INTO job_dependencies (upstream_id, downstream_id, run_on) "
                "VALUES (:upstream, :downstream, :run_on)",
                {"upstream": upstream_id, "downstream": downstream_id, "run_on": on},
            )

    async def upstream_of(self, job_id: str) -> str | None:
        rows = await self.db.fetch("SELECT upstream_id FROM job_dependencies WHERE downstream_id = :id", {"id": job_id})
        return rows[0]["upstream_id"] if rows else None

    async def names_downstream(self, job_id: str) -> list[str]:
        rows = await self.db.fetch(
            "SELECT j.name FROM job_dependencies d JOIN jobs j ON j.id = d.downstream_id WHERE d.upstream_id = :id "
            "ORDER BY j.name",
            {"id": job_id},
        )
        return [row["name"] for row in rows]

    async def followers(self, upstream_ids: Collection[str]) -> list[Follower]:
        """The jobs that wait for any of these, kept from being deleted until the transaction ends."""
        if not upstream_ids:
            return []
        rows = await self.db.fetch(
            "SELECT d.upstream_id, d.run_on, j.id, j.project_id, j.version, j.plan, j.enabled, j.paused, "
            "j.paused_until FROM job_dependencies d JOIN jobs j ON j.id = d.downstream_id "
            f"WHERE {self.d.among('d.upstream_id', 'ids')} ORDER BY j.id",
            {"ids": some(upstream_ids)},
        )
        return [
            Follower(
                row["upstream_id"],
                row["run_on"],
                row["id"],
                row["project_id"],
                row["version"],
                row["plan"],
                bool(row["enabled"]),
                bool(row["paused"]),
            )
            for row in rows
        ]
