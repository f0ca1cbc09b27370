"""What the rules of alerts look at: small tables and counters, by one statement for all jobs, along indexes that hold
only what may be wrong."""

from __future__ import annotations

from datetime import datetime

from horae.domain.alerts.facts import FailingJob
from horae.store.rows import Group, read

_ON = "j.enabled AND NOT j.paused"  # what people have switched off is not wrong


class AlertFactTables(Group):
    async def founded_at(self) -> datetime:
        (row,) = await self.db.fetch("SELECT created_at FROM installation")
        found: datetime = row["created_at"]
        return found

    async def failing(self, least: int) -> list[FailingJob]:
        # A streak that a process of an older version ended is still counted: the last status is right.
        rows = await self.db.fetch(
            "SELECT j.project_id, j.id AS job_id, j.name, j.version, s.failing_streak AS streak, "
            "s.failing_since AS since, s.last_run_id FROM job_stats s JOIN jobs j ON j.id = s.job_id "
            f"WHERE s.failing_streak > 0 AND s.failing_streak >= :least AND s.last_status <> 'succeeded' AND {_ON}",
            {"least": max(least, 1)},
        )
        return [read(FailingJob, row) for row in rows]
