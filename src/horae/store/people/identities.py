"""`identities` and `claimed_roles`: users' identities at a provider, and the roles granted by its claims."""

from __future__ import annotations

from horae.domain.people.account import Identity
from horae.store.rows import Group


class IdentityTables(Group):
    async def find(self, issuer: str, subject: str) -> Identity | None:
        rows = await self.db.fetch(
            "SELECT i.user_id, i.gave_admin FROM identities i JOIN users u ON u.id = i.user_id "
            f"WHERE i.issuer = :issuer AND i.subject = :subject {self.d.lock_of('i')}",
            {"issuer": issuer, "subject": subject},
        )
        return Identity(issuer, subject, rows[0]["user_id"], bool(rows[0]["gave_admin"])) if rows else None

    async def add(self, identity: Identity) -> None:
        values = {"issuer": identity.issuer, "subject": identity.subject}
        # Versions without this table delete users, but not their rows here.
        await self.db.execute(
            "DELETE FROM identities WHERE issuer = :issuer AND subject = :subject "
            "AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = identities.user_id)",
            values,
        )
        await self.db.execute(
            "INSERT INTO identities (issuer, subject, user_id, gave_admin, created_at) "
            f"VALUES (:issuer, :subject, :user_id, :gave_admin, {self.d.now})",
            {**values, "user_id": identity.user_id, "gave_admin": identity.gave_admin},
        )

    async def gave_admin(self, identity: Identity, gave: bool) -> None:
        await self.db.execute(
            "UPDATE identities SET gave_admin = :gave WHERE issuer = :issuer AND subject = :subject",
            {"issuer": identity.issuer, "subject": identity.subject, "gave": gave},
        )

    async def claimed(self, user_id: str) -> dict[str, str]:
        rows = await self.db.fetch("SELECT project_id, role FROM claimed_roles WHERE user_id = :id", {"id": user_id})
        return {row["project_id"]: row["role"] for row in rows}

    async def claim(self, user_id: str, project_id: str, role: str | None) -> None:
        values = {"user_id": user_id, "project_id": project_id, "role": role}
        await self.db.execute(
            "DELETE FROM claimed_roles WHERE user_id = :user_id AND project_id = :project_id",
            {"user_id": user_id, "project_id": project_id},
        )
        if role is not None:
            await self.db.execute(
                "INSERT INTO claimed_roles (user_id, project_id, role) VALUES (:user_id, :project_id, :role)", values
            )
