"""How runs ended hour by hour, from counters: what is rolled up and what is not yet, in one statement, as for the
totals."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.statistics import Hour
from horae.store.dialects.base import Connection, Dialect
from horae.store.job_stats import COUNTED

_HOUR = timedelta(hours=1)


async def hours(db: Connection, d: Dialect, project_id: str, count: int, job_id: str | None) -> list[Hour]:
    """The last so many hours of a project or of one of its jobs, oldest first, the present one included."""
    present = (await d.read_now(db)).replace(minute=0, second=0, microsecond=0)
    begins = [present - _HOUR * back for back in range(count - 1, -1, -1)]
    mine = "project_id = :project_id" if job_id is None else "job_id = :job_id AND project_id = :project_id"
    rows = await db.fetch(
        f"SELECT {d.time('hour', 'hour')}, status, SUM(runs) AS n, SUM(duration_ms) AS ms FROM ("
        f"SELECT hour, status, runs, duration_ms FROM run_stats WHERE {mine} AND hour >= :since UNION ALL "
        f"SELECT {d.hour('at')} AS hour, status, runs, duration_ms FROM stat_deltas WHERE {mine} AND at >= :since"
        ") AS parts GROUP BY hour, status",
        {"project_id": project_id, "job_id": job_id, "since": begins[0]},
    )
    found: dict[datetime, Hour] = {at: Hour(at, dict.fromkeys(COUNTED, 0), 0) for at in begins}
    for row in rows:
        hour = found.get(row["hour"])
        if hour is not None and row["status"] in hour.ended:
            ended = {**hour.ended, row["status"]: hour.ended[row["status"]] + int(row["n"])}
            found[hour.at] = Hour(hour.at, ended, hour.duration_ms + int(row["ms"]))
    return list(found.values())
