"""`sessions`: sign-ins, each with the digest of its valid refresh token."""

from __future__ import annotations

from datetime import datetime

from horae.domain.people.account import NewSession, Session
from horae.store.dialects.base import Row
from horae.store.rows import Group

_COLUMNS = (
    "id, user_id, digest, generation, created_at, used_at, expires_at, ended_at, client, repeated, limit_at, "
    "provider_token"
)


class SessionTable(Group):
    async def add(self, session: NewSession, expires_at: datetime, limit_at: datetime | None = None) -> None:
        await self.db.execute(
            "INSERT INTO sessions (id, user_id, digest, generation, client, address, created_at, used_at, expires_at, "
            "limit_at, provider_token) VALUES (:id, :user_id, :digest, 1, :client, :address, "
            f"{self.d.now}, {self.d.now}, :expires_at, :limit_at, :provider_token)",
            {
                "id": session.id,
                "user_id": session.user_id,
                "digest": session.digest,
                "client": session.client,
                "address": session.address,
                "expires_at": expires_at,
                "limit_at": limit_at,
                "provider_token": session.provider_token,
            },
        )

    async def find(self, session_id: str, *, lock: bool = False) -> Session | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM sessions WHERE id = :id {self.d.lock if lock else ''}", {"id": session_id}
        )
        return _session(rows[0]) if rows else None

    async def exchange(self, session_id: str, *, digest: str, generation: int, expires_at: datetime) -> None:
        await self.db.execute(
            "UPDATE sessions SET digest = :digest, generation = :generation, expires_at = :expires_at, "
            f"used_at = {self.d.now} WHERE id = :id",
            {"id": session_id, "digest": digest, "generation": generation, "expires_at": expires_at},
        )

    async def repeat(self, session_id: str, *, digest: str) -> None:
        await self.db.execute(
            "UPDATE sessions SET digest = :digest, repeated = generation WHERE id = :id",
            {"id": session_id, "digest": digest},
        )

    async def addresses(self, user_id: str, limit: int) -> list[str]:
        rows = await self.db.fetch(
            "SELECT address FROM sessions WHERE user_id = :user_id ORDER BY id DESC LIMIT :limit",
            {"user_id": user_id, "limit": limit},
        )
        return [row["address"] for row in rows]

    async def end(self, session_id: str, reason: str) -> bool:
        return bool(
            await self.db.execute(
                f"UPDATE sessions SET ended_at = {self.d.now}, end_reason = :reason "
                "WHERE id = :id AND ended_at IS NULL",
                {"id": session_id, "reason": reason},
            )
        )

    async def end_all(self, user_id: str, reason: str, *, but: str | None = None) -> int:
        spared = "" if but is None else "AND id <> :but "
        return await self.db.execute(
            f"UPDATE sessions SET ended_at = {self.d.now}, end_reason = :reason "
            f"WHERE user_id = :user_id AND ended_at IS NULL {spared}",
            {"user_id": user_id, "reason": reason, "but": but},
        )

    async def prune(self, older_than: float) -> int:
        """Deletes sessions that ended or expired long ago; until then reuse of a token is detected."""
        return await self.db.execute(
            f"DELETE FROM sessions WHERE expires_at < {self.d.earlier(':older_than')} "
            f"OR ended_at < {self.d.earlier(':older_than')}",
            {"older_than": older_than},
        )


def _session(row: Row) -> Session:
    return Session(
        row["id"],
        row["user_id"],
        row["digest"],
        row["generation"],
        row["created_at"],
        row["used_at"],
        row["expires_at"],
        row["ended_at"],
        row["client"],
        row["repeated"],
        row["limit_at"],
        row["provider_token"],
    )
