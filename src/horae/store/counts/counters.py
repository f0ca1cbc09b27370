"""Compacts counters: hours become days, and those of deleted jobs become one row of their project. Sums stay the same:
what is added in one place is deleted in the other, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from horae.store.counts.job_stats import COUNTED, SUMS
from horae.store.dialects.base import Dialect, Row
from horae.store.rows import Group, batch
from horae.store.tables import counters as counter_tables

_VALUES = ("runs", "duration_ms")
_SLOTS = {"run_stats": "hour", "run_days": "day"}
_TOTALS = {"job_stats": (*COUNTED, *SUMS), "skip_stats": ("occurrences",)}
_TABLES = {
    "run_stats": counter_tables.run_stats,
    "run_days": counter_tables.run_days,
    "job_stats": counter_tables.job_stats,
    "skip_stats": counter_tables.skip_stats,
}


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
        """Rolls up hours of days that ended that many seconds ago, oldest first; returns the number of rows."""
        rows = await self._oldest("run_stats", older_than, limit)
        await self._take(rows, "run_stats")
        await self._add("run_days", [(row["job_id"], _midnight(row["slot"]), row) for row in rows])
        return len(rows)

    async def prune_days(self, older_than: float, limit: int) -> int:
        rows = await self._oldest("run_days", older_than, limit)
        await self._take(rows, "run_days")
        return len(rows)

    async def hand_over(self, job_id: str, limit: int) -> int:
        """Adds counters of a job to those of its project, under the project's own id; returns the number of rows."""
        moved = 0
        for table, slot in _SLOTS.items():
            rows = await self.db.fetch(
                f"SELECT job_id, {self.d.time(slot, 'slot')}, status, project_id, runs, duration_ms FROM {table} "
                f"WHERE job_id = :job_id ORDER BY {slot}, status LIMIT :limit {self.d.lock}",
                {"job_id": job_id, "limit": limit - moved},
            )
            await self._take(rows, table)
            await self._add(table, [(row["project_id"], row["slot"], row) for row in rows])
            moved += len(rows)
            if moved >= limit:
                return moved
        for table, columns in _TOTALS.items():
            await self._hand_over_totals(table, columns, job_id)
        return moved

    async def _hand_over_totals(self, table: str, columns: Sequence[str], job_id: str) -> None:
        rows = await self.db.fetch(f"SELECT * FROM {table} WHERE job_id = :job_id {self.d.lock}", {"job_id": job_id})
        keys = ("job_id", *(("reason",) if table == "skip_stats" else ()))
        given = batch(self.d, _TABLES[table], *keys, "project_id", *columns)
        add = self.d.upsert(self.d.insert_from(table, given), keys, dict.fromkeys(columns, "{old} + {new}"))
        values = [
            (row["project_id"], *(row[key] for key in keys[1:]), row["project_id"], *(row[c] for c in columns))
            for row in rows
        ]
        await self.put(add, given, values)
        await self.db.execute(f"DELETE FROM {table} WHERE job_id = :job_id", {"job_id": job_id})

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
