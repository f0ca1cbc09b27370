"""What changed lately, for those who follow it: a few bounded looks at what is there, and no table of its own, which
every run would have to write to."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from horae.domain.changes import Glance
from horae.domain.run import RunRecord
from horae.store import run_list
from horae.store.dialects.base import Row
from horae.store.rows import Group, some


class ChangeTables(Group):
    async def live(self, project_id: str, limit: int) -> list[Glance]:
        rows = await self.db.fetch(
            "SELECT id, status, attempt, created_at, started_at, cancel_requested_at FROM runs "
            "WHERE project_id = :project_id ORDER BY id DESC LIMIT :limit",
            {"project_id": project_id, "limit": limit},
        )
        return [_live(row) for row in rows]

    async def ended(self, project_id: str, since: datetime, limit: int) -> list[Glance]:
        # Of the newest only: there is no index by when runs ended, and old ones that end were seen while they lived.
        rows = await self.db.fetch(
            "SELECT n.id, n.status, n.attempt, n.finished_at FROM (SELECT id, status, attempt, finished_at "
            "FROM run_history WHERE project_id = :project_id ORDER BY id DESC LIMIT :limit) n "
            "WHERE n.finished_at >= :since",
            {"project_id": project_id, "since": since, "limit": limit},
        )
        return [Glance(row["id"], row["status"], row["attempt"], False, row["finished_at"]) for row in rows]

    async def runs(self, project_id: str, run_ids: Collection[str]) -> list[RunRecord]:
        """Live first, history second: one that moves in between is seen twice, and its end counts."""
        if not run_ids:
            return []
        found = {run["id"]: run for run in await run_list.live(self.db, self.d, project_id, some(run_ids))}
        found |= {run["id"]: run for run in await run_list.ended(self.db, self.d, project_id, some(run_ids))}
        return list(found.values())


def _live(row: Row) -> Glance:
    asked = row["cancel_requested_at"]
    at = max(at for at in (row["created_at"], row["started_at"], asked) if at is not None)
    return Glance(row["id"], row["status"], row["attempt"], asked is not None, at)
