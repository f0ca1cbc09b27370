"""How the newest runs of many jobs ended: what a list of jobs shows of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from horae.domain.records import RecentRun
from horae.store.dialects.base import Connection, Dialect


async def recent_runs(db: Connection, d: Dialect, job_ids: Sequence[str], limit: int) -> dict[str, list[RecentRun]]:
    """Of each job its newest ended runs, newest first."""
    found: dict[str, list[RecentRun]] = {job_id: [] for job_id in job_ids}
    if not job_ids:
        return found
    params = {f"j{n}": job_id for n, job_id in enumerate(job_ids)}
    for row in await db.fetch(_sql(d, len(job_ids)), {**params, "limit": limit}):
        one = RecentRun(row["id"], row["status"], row["finished_at"], row["duration_ms"])
        found[row["job_id"]].append(one)
    for runs in found.values():
        runs.sort(key=lambda run: run.id, reverse=True)
    return found


@cache
def _sql(d: Dialect, count: int) -> str:
    """A few entries of the index for each job, however long its history: not every database has LATERAL."""
    columns = f"job_id, id, status, {d.time('finished_at', 'finished_at')}, duration_ms"
    parts = (
        f"SELECT * FROM (SELECT {columns} FROM run_history WHERE job_id = :j{n} ORDER BY id DESC LIMIT :limit) AS r{n}"
        for n in range(count)
    )
    return " UNION ALL ".join(parts)
