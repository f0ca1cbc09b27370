"""`device_codes`: sign-ins waiting for approval in a browser."""

from __future__ import annotations

from datetime import datetime

from horae.domain.people.device import Device, NewDevice
from horae.store.dialects.base import Row
from horae.store.rows import Group

_COLUMNS = (
    "digest, user_code, client, address, created_at, expires_at, pause, polled_at, user_id, session_id, denied_at"
)


class DeviceTable(Group):
    async def add(self, device: NewDevice, expires_at: datetime) -> None:
        await self.db.execute(
            "INSERT INTO device_codes (digest, user_code, client, address, created_at, expires_at, pause) "
            f"VALUES (:digest, :user_code, :client, :address, {self.d.now}, :expires_at, :pause)",
            {
                "digest": device.digest,
                "user_code": device.user_code,
                "client": device.client,
                "address": device.address,
                "expires_at": expires_at,
                "pause": device.pause,
            },
        )

    async def by_digest(self, digest: str, *, lock: bool = False) -> Device | None:
        return await self._find("digest", digest, lock)

    async def by_code(self, user_code: str, *, lock: bool = False) -> Device | None:
        return await self._find("user_code", user_code, lock)

    async def _find(self, column: str, value: str, lock: bool) -> Device | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM device_codes WHERE {column} = :value {self.d.lock if lock else ''}",
            {"value": value},
        )
        return _device(rows[0]) if rows else None

    async def polled(self, digest: str, pause: int) -> None:
        await self.db.execute(
            f"UPDATE device_codes SET polled_at = {self.d.now}, pause = :pause WHERE digest = :digest",
            {"digest": digest, "pause": pause},
        )

    async def approve(self, digest: str, user_id: str, session_id: str) -> None:
        await self.db.execute(
            "UPDATE device_codes SET user_id = :user_id, session_id = :session_id WHERE digest = :digest",
            {"digest": digest, "user_id": user_id, "session_id": session_id},
        )

    async def deny(self, digest: str) -> None:
        await self.db.execute(
            f"UPDATE device_codes SET denied_at = {self.d.now} WHERE digest = :digest", {"digest": digest}
        )

    async def delete(self, digest: str) -> None:
        await self.db.execute("DELETE FROM device_codes WHERE digest = :digest", {"digest": digest})

    async def take_back(self, user_id: str) -> None:
        rows = await self.db.fetch("SELECT digest FROM device_codes WHERE user_id = :user_id", {"user_id": user_id})
        for row in rows:
            await self.delete(row["digest"])

    async def prune(self, older_than: float) -> int:
        return await self.db.execute(
            f"DELETE FROM device_codes WHERE expires_at < {self.d.earlier(':older_than')}", {"older_than": older_than}
        )


def _device(row: Row) -> Device:
    return Device(
        row["digest"],
        row["user_code"],
        row["client"],
        row["address"],
        row["created_at"],
        row["expires_at"],
        row["pause"],
        row["polled_at"],
        row["user_id"],
        row["session_id"],
        row["denied_at"],
    )
