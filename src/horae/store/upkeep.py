"""Maintenance: retention, and on PostgreSQL the partitions of future months; and pending work for a sweep."""

from __future__ import annotations

from horae.store.failures import ConnectionLost
from horae.store.rows import Group, words
from horae.store.watching import deliveries, sinks

_LONG = "state = 'running' AND kind IN ('redrive', 'discard')"  # operations that a sweep continues
_CHORES = words("running lost overdue tallies deletions operations messages events pings")


class UpkeepTables(Group):
    async def prune_logs(self, older_than: float, limit: int) -> int:
        """By when it was written: a run that was requested long ago may have run just now."""
        rows = await self.db.fetch(
            "SELECT run_id FROM run_logs WHERE run_id < :before GROUP BY run_id "
            f"HAVING MAX(at) < {self.d.earlier(':older_than')} ORDER BY run_id LIMIT :limit",
            {"older_than": older_than, "limit": limit, "before": await self.id_before(older_than)},
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

    async def chores(self) -> set[str]:
        over = "status = 'running' AND lease_until <"
        late = "status = 'queued' AND attempt = 0 AND start_by IS NOT NULL AND start_by <"
        (row,) = await self.db.fetch(
            "SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running') AS running, "
            f"EXISTS (SELECT 1 FROM runs WHERE {over} {self.d.now}) AS lost, "
            f"EXISTS (SELECT 1 FROM runs WHERE {late} {self.d.now}) AS overdue, "
            "EXISTS (SELECT 1 FROM stat_deltas) AS tallies, EXISTS (SELECT 1 FROM job_deletions) AS deletions, "
            f"EXISTS (SELECT 1 FROM operations WHERE {_LONG}) AS operations, "
            f"EXISTS (SELECT 1 FROM notices) OR EXISTS ({deliveries.due(self.d)}) AS messages, "
            f"EXISTS ({sinks.due(self.d)}) AS events, "
            f"EXISTS (SELECT 1 FROM pings WHERE check_at IS NOT NULL AND check_at <= {self.d.now}) AS pings"
        )
        return {chore for chore in _CHORES if row[chore]}

    async def check_writable(self) -> None:
        (row,) = await self.db.fetch(self.d.read_only)
        if row["read_only"]:
            raise ConnectionLost("the database takes no changes, as a standby does")
