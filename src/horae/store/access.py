"""`projects`, `api_keys`: whose things these are, and who may ask for them."""

from __future__ import annotations

from horae.domain.records import ApiKey, KeyRecord, Project
from horae.store.rows import Group

DEFAULT_PROJECT = "default"


class AccessTable(Group):
    async def default_project(self) -> Project:
        (row,) = await self.db.fetch(
            "SELECT id, slug, name FROM projects WHERE slug = :slug", {"slug": DEFAULT_PROJECT}
        )
        return Project(row["id"], row["slug"], row["name"])

    async def add_key(self, key: ApiKey) -> None:
        await self.db.execute(
            "INSERT INTO api_keys (id, project_id, name, role, prefix, digest, created_by, created_at) "
            f"VALUES (:id, :project_id, :name, :role, :prefix, :digest, :created_by, {self.d.now})",
            {
                "id": key.id,
                "project_id": key.project_id,
                "name": key.name,
                "role": key.role,
                "prefix": key.prefix,
                "digest": key.digest,
                "created_by": key.created_by,
            },
        )

    async def replace_key(self, key: ApiKey) -> None:
        await self.db.execute(
            "DELETE FROM api_keys WHERE project_id = :project_id AND name = :name AND created_by = :created_by",
            {"project_id": key.project_id, "name": key.name, "created_by": key.created_by},
        )
        await self.add_key(key)

    async def key(self, prefix: str) -> KeyRecord | None:
        rows = await self.db.fetch(
            "SELECT id, project_id, name, role, digest FROM api_keys WHERE prefix = :prefix "
            f"AND (expires_at IS NULL OR expires_at > {self.d.now})",
            {"prefix": prefix},
        )
        if not rows:
            return None
        row = rows[0]
        return KeyRecord(row["id"], row["project_id"], row["name"], row["role"], row["digest"])
