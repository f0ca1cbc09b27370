"""How runs ended by hour or by day, from counters: rolled-up and pending ones, in one statement, as for the totals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from horae.domain.runs.statistics import Hour
from horae.store.counts.job_stats import COUNTED
from horae.store.dialects.base import Connection, Dialect, Row

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


async def hours(db: Connection, d: Dialect, project_id: str, count: int, job_id: str | None) -> list[Hour]:
    """The last `count` hours of a project or of one of its jobs, oldest first, including the current one. Hours are
    kept for longer than requests may reach back (`Retention.hours`)."""
    present = (await d.read_now(db)).replace(minute=0, second=0, microsecond=0)
    return await _each(db, d, (project_id, job_id), [present - _HOUR * back for back in range(count - 1, -1, -1)])


async def days(db: Connection, d: Dialect, project_id: str, count: int, job_id: str | None) -> list[Hour]:
    """Likewise by days (UTC), including the current one."""
    present = (await d.read_now(db)).replace(hour=0, minute=0, second=0, microsecond=0)
    begins = [present - _DAY * back for back in range(count - 1, -1, -1)]
    return await _each(db, d, (project_id, job_id), begins, by_day=True)


async def _each(
    db: Connection, d: Dialect, whose: tuple[str, str | None], begins: Sequence[datetime], *, by_day: bool = False
) -> list[Hour]:
    found: dict[datetime, Hour] = {at: Hour(at, dict.fromkeys(COUNTED, 0), 0) for at in begins}
    for row in await _rows(db, d, whose, begins[0], by_day):
        at = row["hour"].replace(hour=0) if by_day else row["hour"]
        hour = found.get(at)
        if hour is not None and row["status"] in hour.ended:
            ended = {**hour.ended, row["status"]: hour.ended[row["status"]] + int(row["n"])}
            found[at] = Hour(at, ended, hour.duration_ms + int(row["ms"]))
    return list(found.values())


async def _rows(
    db: Connection, d: Dialect, whose: tuple[str, str | None], since: datetime, by_day: bool
) -> Sequence[Row]:
    project_id, job_id = whose
    mine = "project_id = :project_id" if job_id is None else "job_id = :job_id AND project_id = :project_id"
    older = f"SELECT day AS hour, status, runs, duration_ms FROM run_days WHERE {mine} AND day >= :since UNION ALL "
    return await db.fetch(
        f"SELECT {d.time('hour', 'hour')}, status, SUM(runs) AS n, SUM(duration_ms) AS ms FROM ("
        f"{older if by_day else ''}"
        f"SELECT hour, status, runs, duration_ms FROM run_stats WHERE {mine} AND hour >= :since UNION ALL "
        f"SELECT {d.hour('at')} AS hour, status, runs, duration_ms FROM stat_deltas WHERE {mine} AND at >= :since"
        ") AS parts GROUP BY hour, status",
        {"project_id": project_id, "job_id": job_id, "since": since},
    )
