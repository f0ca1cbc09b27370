"""`projects`, `api_keys`: tenants and their API keys."""

from __future__ import annotations

from horae.domain.pages import Page
from horae.domain.people.account import DEFAULT_PROJECT, KeyFilter, KeyInfo, ProjectInfo, User
from horae.domain.people.key import ApiKey, KeyRecord
from horae.domain.people.project import Project
from horae.domain.text.ids import is_id
from horae.store.dialects.base import Row
from horae.store.people.makers import EARLIEST, by, made_by
from horae.store.rows import Group

_KEY = """k.id, k.name, k.role, k.prefix, k.created_by, k.created_at, k.expires_at, k.last_used_at, k.maker_id,
    k.project_id, p.slug AS project, u.username AS maker
    FROM api_keys k JOIN projects p ON p.id = k.project_id LEFT JOIN users u ON u.id = k.maker_id"""
_USED_EVERY = 60.0  # seconds between two updates of when a key was last used


class AccessTable(Group):
    # Projects

    async def default_project(self) -> Project:
        (row,) = await self.db.fetch(
            "SELECT id, slug, name FROM projects WHERE slug = :slug", {"slug": DEFAULT_PROJECT}
        )
        return Project(row["id"], row["slug"], row["name"])

    async def project(self, ref: str, *, lock: bool = False) -> ProjectInfo | None:
        column = "id" if is_id(ref) else "slug"
        rows = await self.db.fetch(
            f"SELECT id, slug, name, created_at FROM projects WHERE {column} = :ref {self.d.lock if lock else ''}",
            {"ref": ref},
        )
        return _project(rows[0]) if rows else None

    async def projects(self, user_id: str | None, *, limit: int, after: str | None) -> Page[ProjectInfo]:
        mine = "" if user_id is None else "JOIN memberships m ON m.project_id = p.id AND m.user_id = :user_id "
        more = "" if after is None else "WHERE p.slug > :after "
        rows = await self.db.fetch(
            f"SELECT p.id, p.slug, p.name, p.created_at FROM projects p {mine}{more}ORDER BY p.slug LIMIT :limit",
            {"user_id": user_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_project(row) for row in rows], limit, lambda one: one.slug)

    async def hold_project(self, project_id: str) -> bool:
        rows = await self.db.fetch(f"SELECT id FROM projects WHERE id = :id {self.d.lock_shared}", {"id": project_id})
        return bool(rows)

    async def add_project(self, project: Project) -> None:
        await self.db.execute(
            f"INSERT INTO projects (id, slug, name, created_at) VALUES (:id, :slug, :name, {self.d.now})",
            {"id": project.id, "slug": project.slug, "name": project.name},
        )

    async def rename_project(self, project_id: str, name: str) -> None:
        await self.db.execute("UPDATE projects SET name = :name WHERE id = :id", {"id": project_id, "name": name})

    async def contents(self, project_id: str) -> dict[str, bool]:
        found = {}
        for what, table in (
            ("jobs", "jobs"),
            ("runs", "runs"),
            ("secrets", "secrets"),
            ("pings", "pings"),
            ("queues that are reserved for it", "queue_projects"),  # without it, they would be open to all
        ):
            rows = await self.db.fetch(
                f"SELECT project_id FROM {table} WHERE project_id = :id LIMIT 1", {"id": project_id}
            )
            found[what] = bool(rows)
        return found

    async def delete_project(self, project_id: str) -> None:
        for table, column in (
            ("api_keys", "project_id"),
            ("invitations", "project_id"),
            ("memberships", "project_id"),
            ("badges", "project_id"),
            ("claimed_roles", "project_id"),
            ("project_quotas", "project_id"),
            ("alerts", "project_id"),
            ("alert_settings", "project_id"),
            ("deliveries", "project_id"),
            ("channels", "project_id"),  # without them, the project's notices are dropped when they are routed
            ("event_sinks", "project_id"),  # the scheduler clears what waited for them
            ("series", "project_id"),
            ("projects", "id"),
        ):
            await self.db.execute(f"DELETE FROM {table} WHERE {column} = :id", {"id": project_id})

    # Keys

    async def add_key(self, key: ApiKey) -> None:
        await self.db.execute(
            "INSERT INTO api_keys (id, project_id, name, role, prefix, digest, created_by, expires_at, maker_id, "
            "created_at) VALUES (:id, :project_id, :name, :role, :prefix, :digest, :created_by, :expires_at, "
            f":maker_id, {self.d.now})",
            {
                "id": key.id,
                "project_id": key.project_id,
                "name": key.name,
                "role": key.role,
                "prefix": key.prefix,
                "digest": key.digest,
                "created_by": key.created_by,
                "expires_at": key.expires_at,
                "maker_id": key.maker_id,
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
            "SELECT k.id, k.project_id, p.slug, p.name AS project_name, k.name, k.role, k.digest, k.maker_id "
            "FROM api_keys k "
            "JOIN projects p ON p.id = k.project_id WHERE k.prefix = :prefix "
            f"AND (k.expires_at IS NULL OR k.expires_at > {self.d.now})",
            {"prefix": prefix},
        )
        if not rows:
            return None
        row = rows[0]
        whose = (row["slug"], row["project_name"])
        return KeyRecord(
            row["id"], row["project_id"], row["name"], row["role"], row["digest"], *whose, prefix, row["maker_id"]
        )

    async def used(self, key_id: str) -> None:
        await self.db.execute(
            f"UPDATE api_keys SET last_used_at = {self.d.now} WHERE id = :id "
            f"AND (last_used_at IS NULL OR last_used_at < {self.d.earlier(':every')})",
            {"id": key_id, "every": _USED_EVERY},
        )

    async def keys(self, where: KeyFilter, *, limit: int, after: str | None) -> Page[KeyInfo]:
        tests = ["1 = 1"]
        if where.project_id is not None:
            tests.append("k.project_id = :project_id")
        if where.maker_id is not None or where.actor is not None:
            tests.append(made_by("k"))
        if after is not None:
            tests.append("k.id < :after")
        values = {"project_id": where.project_id, "maker_id": where.maker_id, "actor": where.actor, "after": after}
        since = where.since or EARLIEST
        rows = await self.db.fetch(
            f"SELECT {_KEY} WHERE {' AND '.join(tests)} ORDER BY k.id DESC LIMIT :limit",
            {**values, "since": since, "limit": limit + 1},
        )
        return Page.of([_key(row) for row in rows], limit, lambda one: one.id)

    async def keys_by(self, user: User) -> list[KeyInfo]:
        rows = await self.db.fetch(f"SELECT {_KEY} WHERE {made_by('k')} ORDER BY k.id", by(user))
        return [_key(row) for row in rows]

    async def hold_key(self, key_id: str) -> bool:
        return bool(await self.db.fetch(f"SELECT id FROM api_keys WHERE id = :id {self.d.lock_shared}", {"id": key_id}))

    async def find_key(self, project_id: str, key_id: str) -> KeyInfo | None:
        if not is_id(key_id):
            return None
        rows = await self.db.fetch(
            f"SELECT {_KEY} WHERE k.project_id = :project_id AND k.id = :id {self.d.lock_of('k')}",
            {"project_id": project_id, "id": key_id},
        )
        return _key(rows[0]) if rows else None

    async def delete_key(self, key_id: str) -> None:
        await self.db.execute("DELETE FROM api_keys WHERE id = :id", {"id": key_id})


def _project(row: Row) -> ProjectInfo:
    return ProjectInfo(row["id"], row["slug"], row["name"], row["created_at"])


def _key(row: Row) -> KeyInfo:
    return KeyInfo(
        row["id"],
        row["name"],
        row["role"],
        row["prefix"],
        row["created_by"],
        row["created_at"],
        row["expires_at"],
        row["last_used_at"],
        row["maker_id"],
        f"user:{row['maker']}" if row["maker"] else None,
        row["project_id"],
        row["project"],
    )
