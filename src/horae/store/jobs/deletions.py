"""`job_deletions`: deleted jobs whose runs are still queued. A row is deleted when none is left."""

from __future__ import annotations

from horae.domain.jobs.deletion import Deletion
from horae.store.rows import Group


class DeletionTable(Group):
    async def add(self, deletion: Deletion) -> None:
        await self.db.execute(
            "INSERT INTO job_deletions (job_id, project_id, deleted_by, deleted_at) "
            f"VALUES (:job_id, :project_id, :actor, {self.d.now})",
            {"job_id": deletion.job_id, "project_id": deletion.project_id, "actor": deletion.actor},
        )

    async def take(self) -> Deletion | None:
        rows = await self.db.fetch(
            f"SELECT job_id, project_id, deleted_by FROM job_deletions ORDER BY job_id LIMIT 1 {self.d.lock_skip}"
        )
        return Deletion(rows[0]["job_id"], rows[0]["project_id"], rows[0]["deleted_by"]) if rows else None

    async def left(self, job_id: str, limit: int) -> list[str]:
        rows = await self.db.fetch(
            "SELECT id FROM runs WHERE job_id = :job_id AND cancel_requested_at IS NULL ORDER BY id LIMIT :limit",
            {"job_id": job_id, "limit": limit},
        )
        return [row["id"] for row in rows]

    async def done(self, job_id: str) -> None:
        await self.db.execute("DELETE FROM job_deletions WHERE job_id = :job_id", {"job_id": job_id})
