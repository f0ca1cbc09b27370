"""`badges`: public URLs that show how a job or a ping is doing."""

from __future__ import annotations

from horae.domain.pages import Page
from horae.domain.pings.badge import BadgeRecord, NewBadge
from horae.domain.pings.token import place, row_of
from horae.domain.secrets.secret import Sealed
from horae.store.dialects.base import Row
from horae.store.rows import Group

_COLUMNS = "id, project_id, subject_kind, subject_id, label, sealed, key_id, created_by, created_at"


class BadgeTable(Group):
    async def add(self, badge: NewBadge) -> None:
        await self.db.execute(
            "INSERT INTO badges (id, project_id, subject_kind, subject_id, label, digest, sealed, key_id, created_by, "
            "created_at) VALUES (:id, :project_id, :subject_kind, :subject_id, :label, :digest, :sealed, :key_id, "
            f":created_by, {self.d.now})",
            {
                "id": badge.id,
                "project_id": badge.project_id,
                "subject_kind": badge.subject_kind,
                "subject_id": badge.subject_id,
                "label": badge.label,
                "digest": badge.token.digest,
                "sealed": badge.token.sealed.text,
                "key_id": badge.token.sealed.key_id,
                "created_by": badge.created_by,
            },
        )

    async def by_digest(self, digest: str) -> BadgeRecord | None:
        rows = await self.db.fetch(f"SELECT {_COLUMNS} FROM badges WHERE digest = :digest", {"digest": digest})
        return _record(rows[0]) if rows else None

    async def find(self, project_id: str, badge_id: str) -> BadgeRecord | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM badges WHERE project_id = :project_id AND id = :id",
            {"project_id": project_id, "id": badge_id},
        )
        return _record(rows[0]) if rows else None

    async def page(
        self, project_id: str, subject: tuple[str, str] | None, *, limit: int, after: str | None
    ) -> Page[BadgeRecord]:
        """In order of creation; `subject` is a kind and an id."""
        mine = "" if subject is None else " AND subject_kind = :kind AND subject_id = :subject_id"
        more = "" if after is None else " AND id > :after"
        kind, subject_id = subject or (None, None)
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM badges WHERE project_id = :project_id{mine}{more} ORDER BY id LIMIT :limit",
            {"project_id": project_id, "kind": kind, "subject_id": subject_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_record(row) for row in rows], limit, lambda one: one.id)

    async def delete(self, badge_id: str) -> None:
        await self.db.execute("DELETE FROM badges WHERE id = :id", {"id": badge_id})

    async def delete_of(self, project_id: str, kind: str, subject_id: str) -> None:
        await self.db.execute(
            "DELETE FROM badges WHERE project_id = :project_id AND subject_kind = :kind AND subject_id = :subject_id",
            {"project_id": project_id, "kind": kind, "subject_id": subject_id},
        )

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[Sealed]:
        more = "" if after is None else "AND id > :after "
        rows = await self.db.fetch(
            f"SELECT id, project_id, sealed, key_id FROM badges WHERE key_id <> :key_id {more}ORDER BY id LIMIT :limit",
            {"key_id": key_id, "after": after, "limit": limit},
        )
        return [_sealed(row) for row in rows]

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        matched = await self.db.execute(
            "UPDATE badges SET sealed = :new, key_id = :key_id WHERE id = :id AND sealed = :old",
            {"new": new.text, "key_id": new.key_id, "id": row_of(old), "old": old.text},
        )
        return matched > 0


def _record(row: Row) -> BadgeRecord:
    return BadgeRecord(
        row["id"],
        row["project_id"],
        row["subject_kind"],
        row["subject_id"],
        row["label"],
        _sealed(row),
        row["created_by"],
        row["created_at"],
    )


def _sealed(row: Row) -> Sealed:
    return Sealed(row["project_id"], place("badge", row["id"]), row["sealed"], row["key_id"])
