"""`second_factors` and `recovery_codes`: proofs of identity in addition to the password.

While a factor is enabled, the user's password hash has a prefix. Versions of Horae without second factors cannot read
such a hash and refuse the password: during a rolling upgrade the password alone never signs a user in."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from horae.domain.people.second_factor import SEALED_AS, SecondFactor, Standing
from horae.domain.secrets.secret import Sealed
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch
from horae.store.tables import second_factors as tables

MARK = "2fa:"  # prefix of the hash of a password that is not enough
ON, PENDING = "on", "pending"
IS_ON = f"EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id AND f.state = '{ON}')"
_COLUMNS = "user_id, sealed, key_id, used_step, created_at, confirmed_at"


@cache
def _codes(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.recovery_codes, "user_id", "digest")
    return d.insert_from("recovery_codes", rows, {"created_at": d.now}), rows


class SecondFactorTables(Group):
    async def find(self, user_id: str, *, pending: bool = False) -> SecondFactor | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM second_factors WHERE user_id = :id AND state = :state",
            {"id": user_id, "state": PENDING if pending else ON},
        )
        return _factor(rows[0]) if rows else None

    async def standing(self, user_id: str) -> Standing:
        factor = await self.find(user_id)
        rows = await self.db.fetch("SELECT COUNT(*) AS n FROM recovery_codes WHERE user_id = :id", {"id": user_id})
        return Standing(None if factor is None else factor.confirmed_at, rows[0]["n"])

    async def begin(self, sealed: Sealed) -> None:
        await self._delete(sealed.project_id, PENDING)
        await self.db.execute(
            "INSERT INTO second_factors (user_id, state, sealed, key_id, created_at) "
            f"VALUES (:id, :state, :sealed, :key_id, {self.d.now})",
            {"id": sealed.project_id, "state": PENDING, "sealed": sealed.text, "key_id": sealed.key_id},
        )

    async def confirm(self, user_id: str, step: int) -> None:
        await self._delete(user_id, ON)
        await self.db.execute(
            f"UPDATE second_factors SET state = :on_, used_step = :step, confirmed_at = {self.d.now} "
            "WHERE user_id = :id AND state = :pending",
            {"id": user_id, "on_": ON, "pending": PENDING, "step": step},
        )
        await self._mark(user_id, MARK)

    async def use_step(self, user_id: str, step: int) -> bool:
        return bool(
            await self.db.execute(
                "UPDATE second_factors SET used_step = :step WHERE user_id = :id AND state = :state "
                "AND (used_step IS NULL OR used_step < :step)",
                {"id": user_id, "state": ON, "step": step},
            )
        )

    async def remove(self, user_id: str) -> bool:
        await self._delete(user_id, PENDING)
        await self.db.execute("DELETE FROM recovery_codes WHERE user_id = :id", {"id": user_id})
        await self._mark(user_id, "")
        return await self._delete(user_id, ON)

    async def set_recovery_codes(self, user_id: str, digests: Collection[str]) -> None:
        await self.db.execute("DELETE FROM recovery_codes WHERE user_id = :id", {"id": user_id})
        sql, rows = _codes(self.d)
        await self.put(sql, rows, [(user_id, digest) for digest in sorted(digests)])

    async def has_recovery_code(self, user_id: str, digest: str) -> bool:
        asked = "SELECT user_id FROM recovery_codes WHERE user_id = :id AND digest = :digest"
        return bool(await self.db.fetch(asked, {"id": user_id, "digest": digest}))

    async def use_recovery_code(self, user_id: str, digest: str) -> bool:
        return bool(
            await self.db.execute(
                "DELETE FROM recovery_codes WHERE user_id = :id AND digest = :digest",
                {"id": user_id, "digest": digest},
            )
        )

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str, str]]:
        more = "" if after is None else "AND (f.user_id > :user OR (f.user_id = :user AND f.state > :state)) "
        user, state = after or (None, None)
        rows = await self.db.fetch(
            "SELECT f.user_id, f.state, f.sealed, f.key_id, u.username FROM second_factors f "
            f"JOIN users u ON u.id = f.user_id WHERE f.key_id <> :key_id {more}"
            "ORDER BY f.user_id, f.state LIMIT :limit",
            {"key_id": key_id, "user": user, "state": state, "limit": limit},
        )
        return [(_sealed(row), row["state"], row["username"]) for row in rows]

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        return bool(
            await self.db.execute(
                "UPDATE second_factors SET sealed = :new, key_id = :key_id WHERE user_id = :id AND sealed = :old",
                {"id": old.project_id, "old": old.text, "new": new.text, "key_id": new.key_id},
            )
        )

    async def _delete(self, user_id: str, state: str) -> bool:
        sql = "DELETE FROM second_factors WHERE user_id = :id AND state = :state"
        return bool(await self.db.execute(sql, {"id": user_id, "state": state}))

    async def _mark(self, user_id: str, mark: str) -> None:
        rows = await self.db.fetch("SELECT password FROM users WHERE id = :id", {"id": user_id})
        for row in rows:
            await self.db.execute(
                "UPDATE users SET password = :password WHERE id = :id",
                {"id": user_id, "password": mark + plain_hash(row["password"])},
            )


def plain_hash(stored: str) -> str:
    return stored.removeprefix(MARK)


def _factor(row: Row) -> SecondFactor:
    return SecondFactor(row["user_id"], _sealed(row), row["used_step"], row["created_at"], row["confirmed_at"])


def _sealed(row: Row) -> Sealed:
    return Sealed(row["user_id"], SEALED_AS, row["sealed"], row["key_id"])
