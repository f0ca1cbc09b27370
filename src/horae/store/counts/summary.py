"""Totals of a project, or of the installation."""

from __future__ import annotations

from typing import Any

from horae.domain.runs.statistics import Summary
from horae.store.counts.totals import totals
from horae.store.dialects.base import Connection, Dialect
from horae.store.runs.crowds import count_dead, count_live


async def summary(db: Connection, d: Dialect, project_id: str | None) -> Summary:
    only = "TRUE" if project_id is None else "project_id = :project_id"
    mine = {"project_id": project_id}
    (jobs,) = await db.fetch(
        "SELECT COUNT(*) AS total, COALESCE(SUM(CASE WHEN enabled THEN 1 ELSE 0 END), 0) AS enabled, "
        f"COALESCE(SUM(CASE WHEN paused AND (paused_until IS NULL OR paused_until > {d.now}) THEN 1 ELSE 0 END), 0) "
        f"AS paused FROM jobs WHERE {only}",
        mine,
    )
    live = await (count_live(db, d) if project_id is None else _live(db, mine))
    dead = await (count_dead(db, d) if project_id is None else _dead(db, mine))
    return Summary(
        at=await d.read_now(db),
        jobs=int(jobs["total"]),
        enabled=int(jobs["enabled"]),
        paused=int(jobs["paused"]),
        queued=live.get("queued", 0),
        running=live.get("running", 0),
        stuck=await _stuck(db, d, only, mine),
        dead_letters=dead["letters"],
        ended=(await totals(db, project_id)).ended,
    )


async def _live(db: Connection, mine: dict[str, Any]) -> dict[str, int]:
    rows = await db.fetch("SELECT status, COUNT(*) AS n FROM runs WHERE project_id = :project_id GROUP BY status", mine)
    return {row["status"]: int(row["n"]) for row in rows}


async def _dead(db: Connection, mine: dict[str, Any]) -> dict[str, int]:
    (row,) = await db.fetch("SELECT COUNT(*) AS n FROM dead_letters WHERE project_id = :project_id", mine)
    return {"letters": int(row["n"])}


async def _stuck(db: Connection, d: Dialect, only: str, mine: dict[str, Any]) -> int:
    (row,) = await db.fetch(
        f"SELECT COUNT(*) AS n FROM runs WHERE {only} AND status = 'running' AND lease_until < {d.now}", mine
    )
    return int(row["n"])
