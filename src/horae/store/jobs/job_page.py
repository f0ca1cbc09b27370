"""A page of jobs by a filter. No index has jobs by the status of their last run and in order of their names: candidates
are looked up one by one if they are few, otherwise searched for among the next jobs in order. All jobs in between are
read only if very many match, and none of them is near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from horae.domain.jobs.job_filter import JobFilter
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.jobs.job_list import conditions
from horae.store.order import Order

_FEW = 2_000  # jobs that are looked up one by one and sorted
_MANY = 20_000  # likewise if they are not near
_NEAR = 500  # jobs in order to try first


class JobPageQuery(NamedTuple):
    """Up to `limit` jobs after `after`; `select` lists the columns, from jobs `j` and their definitions `s`."""

    select: str
    project_id: str
    where: JobFilter
    order: Order
    after: str | None
    limit: int


async def find(db: Connection, d: Dialect, asked: JobPageQuery) -> Sequence[Row]:
    if asked.where.last_status is None:
        return await _fetch(db, d, asked)
    among = await _with_last_status(db, asked, _FEW)
    if among is None and not asked.order.timed:  # all jobs would have to be sorted to know the next ones
        near = await _near(db, d, asked)
        rows = await _fetch(db, d, asked, near)
        if len(rows) == asked.limit or len(near) < _NEAR:
            return rows
    if among is None:
        among = await _with_last_status(db, asked, _MANY)
    return await _fetch(db, d, asked, among)


async def _fetch(db: Connection, d: Dialect, asked: JobPageQuery, among: Sequence[str] | None = None) -> Sequence[Row]:
    if among is not None and not among:
        return []
    wheres, params = conditions(d, asked.project_id, asked.where, asked.order, asked.after, among)
    return await db.fetch(
        f"{asked.select} WHERE {wheres} ORDER BY {asked.order.by('j')} LIMIT :limit", {**params, "limit": asked.limit}
    )


async def _with_last_status(db: Connection, asked: JobPageQuery, most: int) -> list[str] | None:
    """Those whose last run may have this status; None if there are more. In one statement: between two, a roll-up could
    move something from one table to the other."""
    params: dict[str, Any] = {"project_id": asked.project_id, "status": asked.where.last_status, "most": most + 1}
    rows = await db.fetch(
        "SELECT job_id FROM (SELECT t.job_id FROM job_stats t JOIN jobs j ON j.id = t.job_id "
        "WHERE t.project_id = :project_id AND t.last_status = :status LIMIT :most) AS summed UNION "
        "SELECT job_id FROM (SELECT n.job_id FROM stat_deltas n WHERE n.project_id = :project_id "
        "AND n.status = :status AND n.run_id IS NOT NULL LIMIT :most) AS added",
        params,
    )
    return None if len(rows) > most else [row["job_id"] for row in rows]


async def _near(db: Connection, d: Dialect, asked: JobPageQuery) -> list[str]:
    wheres, params = conditions(d, asked.project_id, JobFilter(), asked.order, asked.after)
    rows = await db.fetch(
        f"SELECT j.id FROM jobs j WHERE {wheres} ORDER BY {asked.order.by('j')} LIMIT :limit",
        {**params, "limit": _NEAR},
    )
    return [row["id"] for row in rows]
