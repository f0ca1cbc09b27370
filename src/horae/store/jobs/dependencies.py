"""`job_dependencies`: which jobs start when another one's run ends."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.jobs.follower import Follower
from horae.store.jobs.functions import function_off
from horae.store.people.quotas import bounded
from horae.store.rows import Group, some


class DependencyTable(Group):
    async def lock(self) -> None:
        """Serializes edits of the graph: two that are each fine alone may create a cycle together."""
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
        """The jobs that wait for any of these, protected from deletion until the transaction ends."""
        if not upstream_ids:
            return []
        among = self.d.among("upstream_id", "ids")
        found = await self.db.fetch(
            f"SELECT downstream_id FROM job_dependencies WHERE {among}", {"ids": some(upstream_ids)}
        )
        if not found:  # usually
            return []
        await self.db.fetch(
            f"SELECT id FROM jobs WHERE {self.d.among('id', 'ids')} ORDER BY id {self.d.lock_shared}",
            {"ids": [row["downstream_id"] for row in found]},
        )
        # Read again: the transaction that held the lock may have changed or deleted the job.
        held = f"j.paused AND (j.paused_until IS NULL OR j.paused_until > {self.d.now})"
        rows = await self.db.fetch(
            "SELECT d.upstream_id, d.run_on, j.id, j.project_id, j.version, j.plan, j.enabled, "
            f"CASE WHEN {held} THEN 1 ELSE 0 END AS paused, {bounded('j.project_id')}, "
            f"{function_off(self.d, 'j.plan')} FROM job_dependencies d "
            f"JOIN jobs j ON j.id = d.downstream_id WHERE {self.d.among('d.upstream_id', 'ids')} ORDER BY j.id",
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
                row["bounded"] is not None,
                row["function_off"] is not None,
            )
            for row in rows
        ]
