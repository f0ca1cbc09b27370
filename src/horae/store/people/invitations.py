"""`invitations`: links by which people join. Only digests are stored."""

from __future__ import annotations

from horae.domain.pages import Page
from horae.domain.people.account import Invitation, NewInvitation, User
from horae.domain.text.ids import is_id
from horae.store.dialects.base import Row
from horae.store.people.makers import by, made_by
from horae.store.rows import Group

_COLUMNS = """id, project_id, role, note, created_by, created_at, expires_at, accepted_by, accepted_at,
    (SELECT username FROM users WHERE users.id = accepted_by) AS username"""


class InvitationTable(Group):
    async def add(self, invitation: NewInvitation) -> None:
        await self.db.execute(
            "INSERT INTO invitations (id, project_id, role, digest, note, created_by, expires_at, maker_id, "
            "created_at) VALUES (:id, :project_id, :role, :digest, :note, :created_by, :expires_at, :maker_id, "
            f"{self.d.now})",
            {
                "id": invitation.id,
                "project_id": invitation.project_id,
                "role": invitation.role,
                "digest": invitation.digest,
                "note": invitation.note,
                "created_by": invitation.created_by,
                "expires_at": invitation.expires_at,
                "maker_id": invitation.maker_id,
            },
        )

    async def by_digest(self, digest: str, *, lock: bool = False) -> Invitation | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM invitations WHERE digest = :digest {self.d.lock if lock else ''}",
            {"digest": digest},
        )
        return _invitation(rows[0]) if rows else None

    async def find(self, project_id: str, invitation_id: str) -> Invitation | None:
        if not is_id(invitation_id):
            return None
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM invitations WHERE id = :id AND project_id = :project_id",
            {"id": invitation_id, "project_id": project_id},
        )
        return _invitation(rows[0]) if rows else None

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Invitation]:
        more = "" if after is None else "AND id < :after "
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM invitations WHERE project_id = :project_id {more}ORDER BY id DESC LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_invitation(row) for row in rows], limit, lambda one: one.id)

    async def open_by(self, user: User) -> list[Invitation]:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM invitations i WHERE {made_by('i')} AND accepted_at IS NULL "
            f"AND project_id IS NOT NULL ORDER BY id {self.d.lock_of('i')}",
            by(user),
        )
        return [_invitation(row) for row in rows]

    async def accept(self, invitation_id: str, user_id: str) -> None:
        await self.db.execute(
            f"UPDATE invitations SET accepted_by = :user_id, accepted_at = {self.d.now} WHERE id = :id",
            {"id": invitation_id, "user_id": user_id},
        )

    async def delete(self, invitation_id: str) -> None:
        await self.db.execute("DELETE FROM invitations WHERE id = :id", {"id": invitation_id})

    async def lock_first(self) -> None:
        await self.db.fetch(f"SELECT id FROM invitations WHERE project_id IS NULL ORDER BY id {self.d.lock}")

    async def drop_first(self) -> None:
        await self.db.execute("DELETE FROM invitations WHERE project_id IS NULL AND accepted_at IS NULL")

    async def prune(self, older_than: float) -> int:
        return await self.db.execute(
            f"DELETE FROM invitations WHERE expires_at < {self.d.earlier(':older_than')}", {"older_than": older_than}
        )


def _invitation(row: Row) -> Invitation:
    return Invitation(
        row["id"],
        row["project_id"],
        row["role"],
        row["note"],
        row["created_by"],
        row["created_at"],
        row["expires_at"],
        row["accepted_by"],
        f"user:{row['username']}" if row["username"] else row["accepted_by"],
        row["accepted_at"],
    )
