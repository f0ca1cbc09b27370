"""Counts of what may be very many: live runs and dead letters, of the whole installation. They are exact up to 10,000;
beyond that they are what the time series last sampled, so that a backlog does not make the metrics slow that report it.
If no scheduler has sampled anything, they are counted."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.runs.series import DAY, INSTALLATION, MINUTE, OTHERS, WHOLE, Bucket, begin, queue_of
from horae.domain.runs.statistics import Backlog
from horae.store.counts.job_stats import dead, live
from horae.store.counts.series import SeriesTable
from horae.store.dialects.base import Connection, Dialect
from horae.store.rows import load_object
from horae.store.runs.lanes import ready

EXACTLY = 10_000
_FRESH = timedelta(minutes=3)


async def count_live(db: Connection, d: Dialect) -> dict[str, int]:
    """By status."""
    if (found := await _sample_of(db, d, "runs")) is None:
        return await live(db)
    _, bucket = found
    return {"queued": bucket.all_queued, "running": bucket.running}


async def count_dead(db: Connection, d: Dialect) -> dict[str, int]:
    found = await _sample_of(db, d, "dead_letters")
    return await dead(db) if found is None else {"letters": found[1].dead_letters}


async def count_backlog(db: Connection, d: Dialect) -> list[Backlog]:
    """By queue, the longest first; those without their own buckets are one."""
    if (found := await _sample_of(db, d, "runs")) is None:
        return await _backlog(db, d)
    minute, _ = found
    days = await SeriesTable(db, d).read(INSTALLATION, WHOLE, DAY, begin(minute, DAY), minute + _FRESH)
    subjects = [*(days[0][1].queues if days else ()), OTHERS]
    rows = await db.fetch(
        f"SELECT subject, data FROM series WHERE project_id = :project_id AND {d.among('subject', 'subjects')} "
        "AND step = :step AND at = :at",
        {"project_id": INSTALLATION, "subjects": subjects, "step": MINUTE, "at": minute},
    )
    buckets = [(queue_of(row["subject"]), Bucket.from_json(load_object(row["data"]))) for row in rows]
    waiting = [Backlog(queue, one.queued, one.oldest_ms / 1000) for queue, one in buckets if one.queued]
    return sorted(waiting, key=lambda one: one.due, reverse=True)


async def _sample_of(db: Connection, d: Dialect, table: str) -> tuple[datetime, Bucket] | None:
    """None if the table has few rows, or nothing was sampled lately: then they can, or must, be counted."""
    (few,) = await db.fetch(f"SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM {table} LIMIT {EXACTLY + 1}) AS few")
    if few["n"] <= EXACTLY:
        return None
    now = await d.read_now(db)
    minutes = await SeriesTable(db, d).read(INSTALLATION, WHOLE, MINUTE, now - _FRESH, now)
    return next((found for found in reversed(minutes) if found[1].samples), None)


async def _backlog(db: Connection, d: Dialect) -> list[Backlog]:
    rows = await db.fetch(
        f"SELECT queue, COUNT(*) AS n, {d.time('MIN(due_at)', 'oldest')} FROM runs "
        f"WHERE {ready()} AND due_at <= {d.now} GROUP BY queue"
    )
    now = await d.read_now(db)
    found = [Backlog(row["queue"], int(row["n"]), max((now - row["oldest"]).total_seconds(), 0.0)) for row in rows]
    return sorted(found, key=lambda one: one.due, reverse=True)
