"""`worker_keys`: the keys of agents, and the workers that registered with them."""

from __future__ import annotations

from dataclasses import fields

from horae.domain.people.worker_key import AgentRow, WorkerKey, WorkerKeyRecord
from horae.store.dialects.base import Row, listed
from horae.store.rows import Group, load_list, read, stored
from horae.store.tables.accounts import worker_keys
from horae.store.tables.columns import Json

_COLUMNS = tuple(field.name for field in fields(WorkerKeyRecord))
_NEW = tuple(field.name for field in fields(WorkerKey))
_LISTS = tuple(column.name for column in worker_keys.columns if column.type is Json)


class WorkerKeyTable(Group):
    async def add(self, key: WorkerKey) -> None:
        await self.db.execute(
            f"INSERT INTO worker_keys ({listed(_NEW)}, created_at) "
            f"VALUES ({', '.join(f':{name}' for name in _NEW)}, {self.d.now})",
            {name: stored(worker_keys, name, getattr(key, name)) for name in _NEW},
        )

    async def all(self, limit: int) -> list[WorkerKeyRecord]:
        rows = await self.db.fetch(
            f"SELECT {listed(_COLUMNS)} FROM worker_keys WHERE revoked_at IS NULL ORDER BY id DESC LIMIT :limit",
            {"limit": limit},
        )
        return [_key(row) for row in rows]

    async def find(self, key_id: str, *, lock: bool = False) -> WorkerKeyRecord | None:
        rows = await self.db.fetch(
            f"SELECT {listed(_COLUMNS)} FROM worker_keys WHERE id = :id AND revoked_at IS NULL "
            f"{self.d.lock if lock else ''}",
            {"id": key_id},
        )
        return _key(rows[0]) if rows else None

    async def by_prefix(self, prefix: str) -> WorkerKeyRecord | None:
        rows = await self.db.fetch(
            f"SELECT {listed(_COLUMNS)} FROM worker_keys WHERE (prefix = :prefix OR (previous_prefix = :prefix "
            f"AND previous_until > {self.d.now})) AND revoked_at IS NULL "
            f"AND (expires_at IS NULL OR expires_at > {self.d.now})",
            {"prefix": prefix},
        )
        return _key(rows[0]) if rows else None

    async def rotate(self, key_id: str, prefix: str, digest: str, overlap: float) -> None:
        await self.db.execute(
            "UPDATE worker_keys SET previous_prefix = prefix, previous_digest = digest, "
            f"previous_until = {self.d.later(':overlap')} WHERE id = :id",
            {"id": key_id, "overlap": overlap},
        )
        await self.db.execute(
            "UPDATE worker_keys SET prefix = :prefix, digest = :digest WHERE id = :id",
            {"id": key_id, "prefix": prefix, "digest": digest},
        )

    async def revoke(self, key_id: str) -> list[str]:
        await self.db.execute(f"UPDATE worker_keys SET revoked_at = {self.d.now} WHERE id = :id", {"id": key_id})
        rows = await self.db.fetch("SELECT id FROM workers WHERE key_id = :id ORDER BY id", {"id": key_id})
        return [row["id"] for row in rows]

    async def agent(self, key_id: str, worker_id: str, *, write: bool = False) -> AgentRow | None:
        """The key's row is locked, too: a revocation waits for what its agents are writing."""
        if await self.db.fetch(
            f"SELECT id FROM worker_keys WHERE id = :id AND revoked_at IS NULL {self.d.lock_shared}", {"id": key_id}
        ):
            rows = await self.db.fetch(
                "SELECT name, queues, offers, drain_requested_by, status FROM workers "
                f"WHERE id = :id AND key_id = :key_id {self.d.lock if write else self.d.lock_shared}",
                {"id": worker_id, "key_id": key_id},
            )
            if rows:
                row = rows[0]
                return AgentRow(
                    row["name"],
                    tuple(load_list(row["queues"])),
                    tuple(load_list(row["offers"])),
                    row["drain_requested_by"] is not None,
                    row["status"] == "offline",
                )
        return None

    async def drain(self, worker_id: str) -> None:
        await self.db.execute("UPDATE workers SET status = 'draining' WHERE id = :id", {"id": worker_id})


def _key(row: Row) -> WorkerKeyRecord:
    return read(WorkerKeyRecord, row, **{column: tuple(load_list(row[column])) for column in _LISTS})
