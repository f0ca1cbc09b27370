"""Jobs with their own metrics, from counters: found by project and name, regardless of the size of the history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from horae.domain.runs.statistics import ChosenJob
from horae.store.counts.job_stats import COUNTED
from horae.store.dialects.base import Connection, Dialect


async def chosen_jobs(db: Connection, d: Dialect, wanted: Collection[tuple[str, str]]) -> list[ChosenJob]:
    if not wanted:
        return []
    rows = await db.fetch(
        "SELECT j.id, j.name, p.slug, j.next_run_at, j.paused FROM projects p JOIN jobs j ON j.project_id = p.id "
        f"WHERE {d.among('p.slug', 'slugs')} AND {d.among('j.name', 'names')} ORDER BY p.slug, j.name",
        {"slugs": sorted({slug for slug, _ in wanted}), "names": sorted({name for _, name in wanted})},
    )
    jobs = [row for row in rows if (row["slug"], row["name"]) in wanted]
    if not jobs:
        return []
    counts, successes = await _counted(db, d, [job["id"] for job in jobs])
    now = await d.read_now(db)
    found = []
    for job in jobs:
        next_run_at = None if job["paused"] else job["next_run_at"]
        overdue = 0.0 if next_run_at is None else max((now - next_run_at).total_seconds(), 0.0)
        whose = (job["slug"], job["name"], counts[job["id"]], successes.get(job["id"]))
        found.append(ChosenJob(*whose, next_run_at, overdue))
    return found


async def _counted(
    db: Connection, d: Dialect, job_ids: list[str]
) -> tuple[dict[str, dict[str, int]], dict[str, datetime]]:
    """By job: how its runs ended, and when one last succeeded. Rolled-up and pending counters, in one statement."""
    mine, statuses = d.among("job_id", "ids"), ", ".join(COUNTED)
    each = ", ".join(f"CASE WHEN status = '{status}' THEN runs ELSE 0 END AS {status}" for status in COUNTED)
    rows = await db.fetch(
        f"SELECT job_id, {statuses}, {d.time('last_success_at', 'success')} FROM job_stats WHERE {mine} UNION ALL "
        f"SELECT job_id, {each}, CASE WHEN status = 'succeeded' THEN at END AS success FROM stat_deltas WHERE {mine}",
        {"ids": job_ids},
    )
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTED, 0))
    successes: dict[str, Any] = {}
    for row in rows:
        count = counts[row["job_id"]]
        for status in COUNTED:
            count[status] += int(row[status])
        if row["success"] is not None:
            successes[row["job_id"]] = max(row["success"], successes.get(row["job_id"], row["success"]))
    return counts, successes
