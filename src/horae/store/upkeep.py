"""What keeps the database small: retention, and on PostgreSQL the partitions of months to come."""

from __future__ import annotations

from datetime import timedelta

from horae.store.dialects.months import smallest_id
from horae.store.failures import ConnectionLost
from horae.store.rows import Group


class UpkeepTables(Group):
    async def prune_runs(self, older_than: float, limit: int, after: str) -> tuple[int, int, str]:
        """Deletes ended runs and their attempts, oldest first; dead letters that nobody resolved are spared."""
        rows = await self.db.fetch(
            f"SELECT h.id, h.finished_at < {self.d.earlier(':older_than')} "
            "AND NOT EXISTS (SELECT 1 FROM dead_letters x WHERE x.run_id = h.id) AS is_over "
            "FROM run_history h WHERE h.id > :after AND h.id < :before ORDER BY h.id LIMIT :limit",
            {"older_than": older_than, "limit": limit, "after": after, "before": await self._id_before(older_than)},
        )
        ids = [row["id"] for row in rows if row["is_over"]]
        if ids:
            for table, column in (("run_logs", "run_id"), ("attempts", "run_id"), ("run_history", "id")):
                await self.db.execute(f"DELETE FROM {table} WHERE {self.d.among(column, 'ids')}", {"ids": ids})
        return len(rows), len(ids), rows[-1]["id"] if rows else after

    async def prune_logs(self, older_than: float, limit: int) -> int:
        """By when it was written: a run that was asked for long ago may have run just now."""
        rows = await self.db.fetch(
            "SELECT run_id FROM run_logs WHERE run_id < :before GROUP BY run_id "
            f"HAVING MAX(at) < {self.d.earlier(':older_than')} ORDER BY run_id LIMIT :limit",
            {"older_than": older_than, "limit": limit, "before": await self._id_before(older_than)},
        )
        ids = [row["run_id"] for row in rows]
        if ids:
            await self.db.execute(f"DELETE FROM run_logs WHERE {self.d.among('run_id', 'ids')}", {"ids": ids})
        return len(ids)

    async def prune_processes(self, older_than: float) -> int:
        pruned = 0
        for table in ("workers", "schedulers"):
            pruned += await self.db.execute(
                f"DELETE FROM {table} WHERE heartbeat_at < {self.d.earlier(':older_than')}",
                {"older_than": older_than},
            )
        return pruned

    async def partition(self, older_than: float) -> bool:
        return await self.d.partition(self.db, older_than)

    async def check_writable(self) -> None:
        (row,) = await self.db.fetch(self.d.read_only)
        if row["read_only"]:
            raise ConnectionLost("the database takes no changes, as a standby does")

    async def _id_before(self, seconds: float) -> str:
        """The smallest id that was made `seconds` ago: ids begin with their time, so it bounds the scan."""
        return smallest_id(await self.d.read_now(self.db) - timedelta(seconds=seconds))
