"""Counters that move to where they take less room: hours become days, and those of jobs that are gone become one row of
their project. Sums stay what they were: what is added at one place is deleted at the other, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from horae.store import tables
from horae.store.dialects.base import Dialect, Row
from horae.store.rows import Group, batch

_VALUES = ("runs", "duration_ms")
_SLOTS = {"run_stats": "hour", "run_days": "day"}
_TABLES = {"run_stats": tables.run_stats, "run_days": tables.run_days}


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.rows, self.add = {}, {}
        for table, slot in _SLOTS.items():
            keys = ("job_id", slot, "status")
            rows = batch(d, _TABLES[table], *keys, "project_id", *_VALUES)
            self.rows[table] = rows
            self.add[table] = d.upsert(d.insert_from(table, rows), keys, dict.fromkeys(_VALUES, "{old} + {new}"))


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class CounterTables(Group):
    async def roll_days(self, older_than: float, limit: int) -> int:
        """Sums hours of days that ended so many seconds ago, the oldest first; how many rows."""
        rows = await self._oldest("run_stats", older_than, limit)
        await self._take(rows, "run_stats")
        await self._add("run_days", [(row["job_id"], _midnight(row["slot"]), row) for row in rows])
        return len(rows)

    async def prune_days(self, older_than: float, limit: int) -> int:
        rows = await self._oldest("run_days", older_than, limit)
        await self._take(rows, "run_days")
        return len(rows)

    async def _oldest(self, table: str, older_than: float, limit: int) -> Sequence[Row]:
        slot = _SLOTS[table]
        before = _midnight(await self.d.read_now(self.db) - timedelta(seconds=older_than))
        return await self.db.fetch(
            f"SELECT job_id, {self.d.time(slot, 'slot')}, status, project_id, runs, duration_ms FROM {table} "
            f"WHERE {slot} < :before ORDER BY {slot}, job_id, status LIMIT :limit {self.d.lock_skip}",
            {"before": before, "limit": limit},
        )

    async def _take(self, rows: Sequence[Row], table: str) -> None:
        """Deletes exactly these rows."""
        jobs: dict[tuple[datetime, str], list[str]] = defaultdict(list)
        for row in rows:
            jobs[row["slot"], row["status"]].append(row["job_id"])
        for (slot, status), ids in jobs.items():
            await self.db.execute(
                f"DELETE FROM {table} WHERE {_SLOTS[table]} = :slot AND status = :status "
                f"AND {self.d.among('job_id', 'ids')}",
                {"slot": slot, "status": status, "ids": ids},
            )

    async def _add(self, table: str, rows: Sequence[tuple[str, datetime, Row]]) -> None:
        sums: dict[tuple[str, datetime, str, str], list[int]] = defaultdict(lambda: [0, 0])
        for job_id, slot, row in rows:
            entry = sums[job_id, slot, row["status"], row["project_id"]]
            for place, value in enumerate(_VALUES):
                entry[place] += row[value]
        sql = _sql(self.d)
        await self.put(sql.add[table], sql.rows[table], [(*key, *entry) for key, entry in sorted(sums.items())])


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)
