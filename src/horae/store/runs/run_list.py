"""Live and ended runs as one list. The live table is read first and history second, so that a run that moves in between
is seen twice (and kept once) rather than not at all."""

from __future__ import annotations

from functools import cache

from horae.domain.pages import Page
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import LIVE
from horae.domain.text.ids import is_id
from horae.ports import History
from horae.store.dialects.base import Connection, Dialect, Params
from horae.store.runs.run_filter import RunPageQuery
from horae.store.runs.run_record import LIVE_COLUMNS, records, select


@cache
def _live(d: Dialect, table: str = "runs", *, short: bool = False) -> str:
    # A start in the future belongs to a run that was claimed ahead: it waits for a slot of its worker.
    started_at = d.time(f"CASE WHEN r.started_at <= {d.now} THEN r.started_at END", "started_at")
    return select(table, LIVE_COLUMNS, d if short else None, started_at=started_at)


async def added(db: Connection, d: Dialect, adding: str, params: Params) -> list[RunRecord]:
    """Runs that the same statement inserts, in a WITH that names them `added`."""
    rows = await db.fetch(f"{adding} {_live(d, 'added')} ORDER BY r.id", params)
    return await records(db, d, rows, LIVE_COLUMNS)


async def find(db: Connection, d: Dialect, history: History, project_id: str, run_id: str) -> RunRecord | None:
    if not is_id(run_id):
        return None
    found = await live(db, d, project_id, [run_id]) or await history.runs(project_id, [run_id])
    return found[0] if found else None


async def some(db: Connection, d: Dialect, history: History, project_id: str, run_ids: list[str]) -> list[RunRecord]:
    """As in a list, without long documents. Live first, history second: one that moves in between is seen twice, and
    its end counts."""
    found = {run.id: run for run in await live(db, d, project_id, run_ids, short=True)}
    found |= {run.id: run for run in await history.runs(project_id, run_ids, short=True)}
    return list(found.values())


async def live(
    db: Connection, d: Dialect, project_id: str, run_ids: list[str], *, short: bool = False
) -> list[RunRecord]:
    rows = await db.fetch(
        f"{_live(d, short=short)} WHERE {d.among('r.id', 'ids')} AND r.project_id = :project_id ORDER BY r.id",
        {"ids": run_ids, "project_id": project_id},
    )
    return await records(db, d, rows, LIVE_COLUMNS, short=short)


async def page(db: Connection, d: Dialect, history: History, asked: RunPageQuery) -> Page[RunRecord]:
    where, limit = asked.where, asked.limit
    one_more = asked._replace(limit=limit + 1)
    found: dict[str, RunRecord] = {}
    if (where.status is None or where.status in LIVE) and not where.of_ended:
        tail, params = one_more.tail(d)
        rows = await db.fetch(_live(d, short=True) + tail, params)
        found |= {run.id: run for run in await records(db, d, rows, LIVE_COLUMNS, short=True)}
    if where.status is None or where.status not in LIVE:
        ended = await history.page(
            asked.project_id, where, limit=limit + 1, after=asked.after, oldest_first=asked.oldest_first
        )
        found |= {run.id: run for run in ended}
    runs = [found[run_id] for run_id in sorted(found, reverse=not asked.oldest_first)]
    return Page.of(runs, limit, lambda run: run.id)
