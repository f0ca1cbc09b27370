"""`idempotency_keys`: processed requests, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from horae.domain.jobs.idempotency import KeptAnswer, KeptRequest, Once
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, batch, dump, load_object
from horae.store.tables import accounts as account_tables

_MINE = "project_id = :project_id AND digest = :digest"


@cache
def _insert(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.idempotency_keys, "project_id", "digest", "request", "holder")
    insert = d.insert_from("idempotency_keys", rows, {"held_until": d.later(":held"), "created_at": d.now})
    return d.ignore_duplicates(insert), rows


class IdempotencyTable(Group):
    async def insert(self, once: Once, held: float) -> None:
        sql, rows = _insert(self.d)
        await self.put(sql, rows, [(once.project_id, once.digest, once.request, once.holder)], held=held)

    async def insert_all(self, project_id: str, holder: str, requests: Sequence[tuple[str, str]]) -> None:
        sql, rows = _insert(self.d)
        values = [(project_id, digest, request, holder) for digest, request in requests]
        await self.put(sql, rows, values, held=0.0)

    async def holders(self, project_id: str, digests: Sequence[str]) -> dict[str, tuple[str, str]]:
        rows = await self.db.fetch(
            "SELECT digest, request, holder FROM idempotency_keys "
            f"WHERE project_id = :project_id AND {self.d.among('digest', 'digests')}",
            {"project_id": project_id, "digests": digests},
        )
        return {row["digest"]: (row["request"], row["holder"]) for row in rows}

    async def delete_all(self, project_id: str, holder: str, digests: Sequence[str]) -> None:
        if digests:
            await self.db.execute(
                "DELETE FROM idempotency_keys "
                f"WHERE project_id = :project_id AND holder = :holder AND {self.d.among('digest', 'digests')}",
                {"project_id": project_id, "holder": holder, "digests": digests},
            )

    async def find(self, once: Once, kept: float) -> KeptRequest | None:
        rows = await self.db.fetch(
            f"SELECT request, holder, created_at, held_until <= {self.d.now} AS free, "
            f"created_at < {self.d.earlier(':kept')} AS old, status, headers, body FROM idempotency_keys WHERE {_MINE}",
            {"project_id": once.project_id, "digest": once.digest, "kept": kept},
        )
        if not rows:
            return None
        row = rows[0]
        return KeptRequest(
            row["request"],
            row["holder"],
            row["created_at"],
            bool(row["free"]),
            bool(row["old"]),
            row["status"],
            load_object(row["headers"]),
            row["body"],
        )

    async def take_over(self, once: Once, held: float) -> bool:
        return bool(
            await self.db.execute(
                f"UPDATE idempotency_keys SET holder = :holder, held_until = {self.d.later(':held')} "
                f"WHERE {_MINE} AND status IS NULL AND held_until <= {self.d.now}",
                {"project_id": once.project_id, "digest": once.digest, "holder": once.holder, "held": held},
            )
        )

    async def answer(self, once: Once, answer: KeptAnswer) -> None:
        await self.db.execute(
            "UPDATE idempotency_keys SET status = :status, headers = :headers, body = :body "
            f"WHERE {_MINE} AND holder = :holder AND status IS NULL",
            {
                **_key(once),
                "status": answer.status,
                "headers": dump(answer.headers),
                "body": answer.body,
            },
        )

    async def let_go(self, once: Once) -> None:
        await self.db.execute(
            f"UPDATE idempotency_keys SET held_until = {self.d.now} WHERE {_MINE} AND holder = :holder", _key(once)
        )

    async def delete(self, once: Once, *, older_than: float | None = None) -> None:
        if older_than is None:
            await self.db.execute(f"DELETE FROM idempotency_keys WHERE {_MINE} AND holder = :holder", _key(once))
            return
        await self.db.execute(
            f"DELETE FROM idempotency_keys WHERE {_MINE} AND created_at < {self.d.earlier(':older_than')}",
            {**_key(once), "older_than": older_than},
        )

    async def prune(self, older_than: float, limit: int) -> int:
        over = f"created_at < {self.d.earlier(':older_than')}"
        rows = await self.db.fetch(
            f"SELECT digest FROM idempotency_keys WHERE {over} ORDER BY created_at LIMIT :limit",
            {"older_than": older_than, "limit": limit},
        )
        if not rows:
            return 0
        return await self.db.execute(
            f"DELETE FROM idempotency_keys WHERE {over} AND {self.d.among('digest', 'digests')}",
            {"older_than": older_than, "digests": [row["digest"] for row in rows]},
        )


def _key(once: Once) -> dict[str, str]:
    return {"project_id": once.project_id, "digest": once.digest, "holder": once.holder}
