"""`rate_limits`: leaky buckets, shared by all processes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from horae.domain.people.lockout import Tries
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, batch, some
from horae.store.tables import accounts as tables


@cache
def _new(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.rate_limits, "bucket", "level")
    return d.ignore_duplicates(d.insert_from("rate_limits", rows, {"at": d.now})), rows


@cache
def _pour(d: Dialect, leak: float) -> tuple[str, Rows]:
    rows = batch(d, tables.rate_limits, "bucket", "level")
    insert = d.insert_from("rate_limits", rows, {"at": d.now})
    left = f"{{old}} - {d.millis('rate_limits.at', d.now)} / 1000.0 * {leak:.6f}"
    # `level` before `at`: MySQL assigns from left to right, and the next one would see the new time.
    level = f"CASE WHEN {left} > 0 THEN {left} ELSE 0 END + {{new}}"
    return d.upsert(insert, ["bucket"], {"level": level, "at": "{new}"}), rows


class LimitTable(Group):
    async def lock(self, buckets: Collection[str]) -> dict[str, Tries]:
        names = sorted(buckets)
        sql, rows = _new(self.d)
        await self.put(sql, rows, [(name, 0.0) for name in names])
        found = await self.db.fetch(
            f"SELECT bucket, level, at FROM rate_limits WHERE {self.d.among('bucket', 'names')} "
            f"ORDER BY bucket {self.d.lock}",
            {"names": some(names)},
        )
        return {row["bucket"]: Tries(row["level"], row["at"]) for row in found}

    async def set(self, bucket: str, level: float) -> None:
        await self.db.execute(
            f"UPDATE rate_limits SET level = :level, at = {self.d.now} WHERE bucket = :bucket",
            {"bucket": bucket, "level": level},
        )

    async def forgive(self, bucket: str, tries: float) -> None:
        await self.db.execute(
            "UPDATE rate_limits SET level = CASE WHEN level > :tries THEN level - :tries ELSE 0 END "
            "WHERE bucket = :bucket",
            {"bucket": bucket, "tries": tries},
        )

    async def pour(self, amounts: Mapping[str, float], leak: float) -> dict[str, float]:
        sql, rows = _pour(self.d, leak)
        poured: Sequence[tuple[str, float]] = sorted(amounts.items())
        await self.put(sql, rows, poured)
        found = await self.db.fetch(
            f"SELECT bucket, level FROM rate_limits WHERE {self.d.among('bucket', 'names')}",
            {"names": some([bucket for bucket, _ in poured])},
        )
        return {row["bucket"]: row["level"] for row in found}

    async def prune(self, older_than: float) -> int:
        return await self.db.execute(
            f"DELETE FROM rate_limits WHERE at < {self.d.earlier(':older_than')}", {"older_than": older_than}
        )
