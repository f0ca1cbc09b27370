"""The requirements of queued runs, and how many runs have each.

They are found by skipping through the index of queued runs from one to the next (a loose index scan): the cost depends
on the number of different requirements, not on the number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from horae.domain.runs.stranded import Stranded, Want
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Rows
from horae.store.rows import batch, some
from horae.store.runs.lanes import PAUSED, ready

_PAUSED = PAUSED.format(queue="want.queue")


async def wants(db: Connection, d: Dialect) -> list[Want]:
    """All requirements of queued runs, in queues that are not paused."""
    rows = await db.fetch(_skipping(d) if d.seeks_in_subqueries else _grouped(d))
    return [(row["queue"], row["needs"]) for row in rows]


async def stranded(db: Connection, d: Dialect, wanted: Sequence[Want], patience: float) -> list[Stranded]:
    """The runs that need one of these and have been due for that many seconds, grouped by project."""
    if not wanted:
        return []
    pairs = [(needs, queue) for queue, needs in wanted]
    rows = await db.fetch(_counted(d), {**d.rows_params(_pairs(d), pairs), "patience": patience})
    return [Stranded(row["project_id"], row["queue"], row["needs"], int(row["runs"]), row["since"]) for row in rows]


async def waiting(db: Connection, d: Dialect, job_ids: Sequence[str], patience: float) -> set[str]:
    """Those of the jobs that have a run that has been due for that many seconds."""
    if not job_ids:
        return set()
    due = f"r.job_id = j.id AND r.held = FALSE AND r.status = 'queued' AND r.due_at <= {d.earlier(':patience')}"
    rows = await db.fetch(
        f"SELECT j.id FROM jobs j WHERE {d.among('j.id', 'ids')} AND EXISTS (SELECT 1 FROM runs r WHERE {due})",
        {"ids": some(job_ids), "patience": patience},
    )
    return {row["id"] for row in rows}


@cache
def _skipping(d: Dialect) -> str:
    """The next queue of the same need, otherwise the next need: with one comparison of both, SQLite would read all runs
    of the need up to there."""
    first = "(SELECT n.id FROM runs n WHERE {} ORDER BY n.needs, n.queue, n.priority, n.due_at, n.id LIMIT 1)"
    ours = ready("n")
    next_queue = first.format(f"{ours} AND n.needs = want.needs AND n.queue > want.queue")
    next_need = first.format(f"{ours} AND n.needs > want.needs")
    return (
        f"WITH RECURSIVE want AS (SELECT r.needs, r.queue FROM runs r WHERE r.id = {first.format(ours)} "
        f"UNION ALL SELECT r.needs, r.queue FROM want JOIN runs r ON r.id = COALESCE({next_queue}, {next_need})) "
        f"SELECT needs, queue FROM want WHERE NOT {_PAUSED}"
    )


@cache
def _grouped(d: Dialect) -> str:
    """MySQL skips only by GROUP BY, and only over a whole index."""
    return (
        "SELECT DISTINCT needs, queue FROM (SELECT needs, queue, status, held FROM runs "
        f"GROUP BY needs, queue, status, held) AS want WHERE {ready('want')} "
        f"AND NOT {_PAUSED}"
    )


@cache
def _pairs(d: Dialect) -> Rows:
    return batch(d, tables.runs, "needs", "queue")


@cache
def _counted(d: Dialect) -> str:
    return (
        f"SELECT r.project_id, r.queue, r.needs, COUNT(*) AS runs, {d.time('MIN(r.due_at)', 'since')} "
        f"FROM {_pairs(d).sql} JOIN runs r ON r.needs = v.needs AND r.queue = v.queue "
        f"WHERE {ready('r')} AND r.due_at <= {d.earlier(':patience')} "
        "GROUP BY r.project_id, r.queue, r.needs ORDER BY MIN(r.due_at), r.project_id, r.queue, r.needs"
    )
