"""The input of explanations, read in few statements, and only the newest part of history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from horae.domain.cluster.process import ShardView
from horae.domain.cluster.trouble import trouble_of
from horae.domain.explain.facts import LiveRun, LiveRuns, SchedulerFact, UpstreamFact
from horae.domain.runs.run_filter import RecentRun
from horae.domain.runs.run_record import RunRecord
from horae.store.dialects.base import Row
from horae.store.rows import Reading, words

_LIVE = words("id status held due_at started_at worker_id created_at attempt queue needs lease_until parked")
_WAITS = "held AND wake_at IS NULL"  # for a place; runs for later do not take a turn yet
MOST_AHEAD = 1_000


class FactTables(Reading):
    async def shard(self, shard: int) -> ShardView:
        rows = await self.db.fetch(
            "SELECT owner_id, epoch, lease_until FROM shards WHERE shard = :shard", {"shard": shard}
        )
        for row in rows:
            return ShardView(shard, row["owner_id"], row["epoch"], row["lease_until"])
        return ShardView(shard, None, 0, None)

    async def live_runs(
        self, job_id: str, *, backfill: bool = False, before: str | None = None, limit: int = 10
    ) -> LiveRuns:
        mine = f"""job_id = :job_id AND "trigger" {"=" if backfill else "<>"} 'backfill'"""
        # In the order of their turns, as the gate has it.
        first = "(SELECT b.created_at FROM runs b WHERE b.id = :before)"
        earlier = f"(created_at < {first} OR (created_at = {first} AND id < :before))"
        older = f"CASE WHEN {_WAITS} AND {earlier} THEN 1 ELSE 0 END" if before is not None else "0"
        params: dict[str, Any] = {"job_id": job_id, "before": before, "limit": limit}
        (sums,) = await self.db.fetch(
            "SELECT SUM(CASE WHEN held THEN 0 ELSE 1 END) AS under_way, "
            f"SUM(CASE WHEN {_WAITS} THEN 1 ELSE 0 END) AS held, "
            f"SUM({older}) AS held_before, "
            f"(SELECT max_instances FROM job_gates WHERE job_id = :job_id) AS max_instances FROM runs WHERE {mine}",
            params,
        )
        rows = await self.db.fetch(
            f"SELECT {', '.join(_LIVE)} FROM runs WHERE {mine} ORDER BY held, created_at, id LIMIT :limit", params
        )
        under_way, held, held_before = (int(sums[name] or 0) for name in ("under_way", "held", "held_before"))
        return LiveRuns(sums["max_instances"], under_way, held, held_before, tuple(map(_live_run, rows)))

    async def upstream(self, project_id: str, job_id: str) -> list[UpstreamFact]:
        rows = await self.db.fetch(
            "SELECT j.id, j.name, d.run_on, j.enabled, j.paused, "
            "(SELECT COUNT(*) FROM runs r WHERE r.job_id = j.id) AS live "
            "FROM job_dependencies d JOIN jobs j ON j.id = d.upstream_id "
            "WHERE d.downstream_id = :job_id AND j.project_id = :project_id ORDER BY j.name",
            {"job_id": job_id, "project_id": project_id},
        )
        last = await self.history.recent([row["id"] for row in rows], 1)
        return [_upstream(row, last[row["id"]]) for row in rows]

    async def schedulers(self) -> list[SchedulerFact]:
        rows = await self.db.fetch(
            "SELECT id, hostname, pid, heartbeat_at, trouble, trouble_since FROM schedulers ORDER BY id"
        )
        return [
            SchedulerFact(
                row["id"],
                row["hostname"],
                row["pid"],
                row["heartbeat_at"],
                trouble_of(row["trouble"], row["trouble_since"]),
            )
            for row in rows
        ]

    async def ahead(self, run: RunRecord) -> int:
        """How many due runs come before this one in its queue, up to a limit."""
        (row,) = await self.db.fetch(
            "SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs WHERE status = 'queued' AND NOT held "
            f"AND queue = :queue AND due_at <= {self.d.now} AND (priority > :priority OR (priority = :priority "
            "AND (due_at < :due_at OR (due_at = :due_at AND id < :id)))) LIMIT :most) AS before_it",
            {"queue": run.queue, "priority": run.priority, "due_at": run.due_at, "id": run.id, "most": MOST_AHEAD},
        )
        return int(row["n"])

    async def heard_from(self, worker_id: str | None) -> datetime | None:
        rows: Sequence[Row] = await self.db.fetch("SELECT heartbeat_at FROM workers WHERE id = :id", {"id": worker_id})
        return rows[0]["heartbeat_at"] if rows else None

    async def dead_since(self, run_id: str) -> datetime | None:
        rows: Sequence[Row] = await self.db.fetch(
            "SELECT failed_at FROM dead_letters WHERE run_id = :run_id", {"run_id": run_id}
        )
        return rows[0]["failed_at"] if rows else None


def _live_run(row: Row) -> LiveRun:
    values = {column: row[column] for column in _LIVE}
    values["held"], values["parked"] = bool(values["held"]), bool(values["parked"])
    return LiveRun(**values)


def _upstream(row: Row, last: Sequence[RecentRun]) -> UpstreamFact:
    return UpstreamFact(
        id=row["id"],
        name=row["name"],
        run_on=row["run_on"],
        enabled=bool(row["enabled"]),
        paused=bool(row["paused"]),
        live=int(row["live"]),
        last_status=last[0].status if last else None,
        last_ended_at=last[0].finished_at if last else None,
    )
