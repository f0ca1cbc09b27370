"""Totals of a project, or of the installation."""

from __future__ import annotations

from typing import Any

from horae.domain.runs.statistics import Backlog, Summary
from horae.store.counts.totals import totals
from horae.store.dialects.base import Connection, Dialect
from horae.store.runs.lanes import ready


async def summary(db: Connection, d: Dialect, project_id: str | None) -> Summary:
    only = "" if project_id is None else "WHERE project_id = :project_id"
    mine = {"project_id": project_id}
    (jobs,) = await db.fetch(
        "SELECT COUNT(*) AS total, COALESCE(SUM(CASE WHEN enabled THEN 1 ELSE 0 END), 0) AS enabled, "
        f"COALESCE(SUM(CASE WHEN paused AND (paused_until IS NULL OR paused_until > {d.now}) THEN 1 ELSE 0 END), 0) "
        f"AS paused FROM jobs {only}",
        mine,
    )
    live = await _live(db, d, only, mine)
    (dead,) = await db.fetch(f"SELECT COUNT(*) AS n FROM dead_letters {only}", mine)
    return Summary(
        at=await d.read_now(db),
        jobs=int(jobs["total"]),
        enabled=int(jobs["enabled"]),
        paused=int(jobs["paused"]),
        **live,
        dead_letters=int(dead["n"]),
        ended=(await totals(db, project_id)).ended,
    )


async def _live(db: Connection, d: Dialect, only: str, mine: dict[str, Any]) -> dict[str, int]:
    lost = f"CASE WHEN status = 'running' AND lease_until < {d.now} THEN 1 ELSE 0 END"
    rows = await db.fetch(f"SELECT status, COUNT(*) AS n, SUM({lost}) AS lost FROM runs {only} GROUP BY status", mine)
    counts = {row["status"]: int(row["n"]) for row in rows}
    return {
        "queued": counts.get("queued", 0),
        "running": counts.get("running", 0),
        "stuck": sum(int(row["lost"]) for row in rows),
    }


async def backlog(db: Connection, d: Dialect) -> list[Backlog]:
    rows = await db.fetch(
        f"SELECT queue, COUNT(*) AS n, {d.time('MIN(due_at)', 'oldest')} FROM runs "
        f"WHERE {ready()} AND due_at <= {d.now} GROUP BY queue"
    )
    now = await d.read_now(db)
    found = [Backlog(row["queue"], int(row["n"]), max((now - row["oldest"]).total_seconds(), 0.0)) for row in rows]
    return sorted(found, key=lambda one: one.due, reverse=True)
