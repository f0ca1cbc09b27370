"""Statistics of a job, read without scanning its history: rolled-up and pending counters, in one statement each, since
between two a roll-up could move something from one table to the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from horae.domain.runs.states import LIVE
from horae.domain.runs.statistics import JobStats
from horae.ports import History
from horae.store.dialects.base import Connection, Dialect, Row

COUNTED = ("succeeded", "failed", "cancelled", "skipped")
SUMS = ("retries", "timed_out", "duration_ms")
RECENT = timedelta(hours=24)


async def _sums(db: Connection, job_id: str) -> dict[str, int]:
    """The counters of all time."""
    columns = (*COUNTED, *SUMS)
    added = ", ".join(f"COALESCE(SUM({name}), 0) AS {name}" for name in columns)
    counted = ", ".join(f"CASE WHEN status = '{status}' THEN runs ELSE 0 END AS {status}" for status in COUNTED)
    (row,) = await db.fetch(
        f"SELECT {added} FROM (SELECT {', '.join(columns)} FROM job_stats WHERE job_id = :job_id UNION ALL "
        f"SELECT {counted}, {', '.join(SUMS)} FROM stat_deltas WHERE job_id = :job_id) AS parts",
        {"job_id": job_id},
    )
    return {name: int(row[name]) for name in columns}


async def live(db: Connection) -> dict[str, int]:
    rows = await db.fetch("SELECT status, COUNT(*) AS n FROM runs GROUP BY status")
    return {row["status"]: int(row["n"]) for row in rows}


async def dead(db: Connection) -> dict[str, int]:
    (row,) = await db.fetch("SELECT COUNT(*) AS n FROM dead_letters")
    return {"letters": int(row["n"])}


async def of_job(db: Connection, d: Dialect, history: History, job_id: str) -> JobStats:
    ever = await _sums(db, job_id)
    # Whole hours, as rolled up.
    since = (await d.read_now(db) - RECENT).replace(minute=0, second=0, microsecond=0)
    last = await _last(db, d, job_id)
    return JobStats(
        total={status: ever[status] for status in COUNTED},
        recent=await _recent(db, job_id, since),
        live=await _live(db, job_id),
        reasons=await history.skips(job_id, since),
        since=since,
        retries=ever["retries"],
        timed_out=ever["timed_out"],
        duration_ms=ever["duration_ms"],
        last_run_id=last["run_id"] if last else None,
        last_run_at=last["at"] if last else None,
        last_status=last["status"] if last else None,
    )


async def _recent(db: Connection, job_id: str, since: datetime) -> dict[str, int]:
    rows = await db.fetch(
        "SELECT status, SUM(runs) AS n FROM ("
        "SELECT status, runs FROM run_stats WHERE job_id = :job_id AND hour >= :since UNION ALL "
        "SELECT status, runs FROM stat_deltas WHERE job_id = :job_id AND at >= :since) AS parts GROUP BY status",
        {"job_id": job_id, "since": since},
    )
    return _counts(rows, COUNTED)


async def _live(db: Connection, job_id: str) -> dict[str, int]:
    rows = await db.fetch(
        "SELECT status, COUNT(*) AS n FROM runs WHERE job_id = :job_id GROUP BY status", {"job_id": job_id}
    )
    return _counts(rows, [status.value for status in sorted(LIVE)])


def _counts(rows: Sequence[Row], words: Sequence[Any]) -> dict[str, int]:
    found = {row["status"]: int(row["n"]) for row in rows}
    return {word: found.get(word, 0) for word in words}


async def _last(db: Connection, d: Dialect, job_id: str) -> Row | None:
    rows = await db.fetch(
        f"SELECT last_run_id AS run_id, {d.time('last_run_at', 'at')}, last_status AS status FROM job_stats "
        "WHERE job_id = :job_id AND last_run_at IS NOT NULL UNION ALL "
        "SELECT run_id, at, status FROM stat_deltas WHERE job_id = :job_id AND run_id IS NOT NULL",
        {"job_id": job_id},
    )
    return max(rows, key=lambda row: row["at"], default=None)
