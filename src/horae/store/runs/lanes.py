"""Lanes: the queued runs of one need, in one queue, at one priority. They are found by skipping through the index from
one lane to the head of the next (a loose index scan), so the cost depends on the number of non-empty lanes, never on
how many runs each of them has, how many queues there are, or what other workers have to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row, Rows
from horae.store.rows import batch

PAUSED = "EXISTS (SELECT 1 FROM queues WHERE name = {queue} AND paused_at IS NOT NULL)"
_PRIORITIES = range(9, -1, -1)


class Lane(NamedTuple):
    """`due_at` is when its first run is due; it may be in the past if another worker is about to claim that run."""

    queue: str
    priority: int
    needs: str
    due_at: datetime


def ready(alias: str = "") -> str:
    """Queued and unheld, in the terms of the index `runs_ready`."""
    dot = alias and f"{alias}."
    return f"{dot}status = 'queued' AND NOT {dot}held"


async def lanes(db: Connection, d: Dialect, offers: Collection[str], queues: Sequence[str] | None) -> list[Lane]:
    """Those from which a worker can claim something, now or later: of these queues, or of all."""
    if not offers or (queues is not None and not queues):
        return []
    if d.seeks_in_subqueries:
        rows = await db.fetch(_skipping(d, given=queues is not None), params(d, offers, queues))
    elif queues is None:
        rows = await db.fetch(_grouped(d))
    else:
        probed = _probe_rows(d)
        pairs = [(needs, queue) for needs in offers for queue in queues]
        rows = await db.fetch(_probed(d), d.rows_params(probed, pairs))
    return each_once(_lane(row) for row in rows if row["due_at"] is not None and row["needs"] in offers)


def each_once(found: Iterable[Lane]) -> list[Lane]:
    """MySQL (9.7) may turn the EXISTS of `_probed` into a join that returns a lane for every run in it. A claim that
    read a lane twice would count its runs twice."""
    return list({(lane.queue, lane.priority, lane.needs): lane for lane in found}.values())


def params(d: Dialect, offers: Collection[str], queues: Sequence[str] | None) -> dict[str, object]:
    if queues is None:
        return {"offers": list(offers)}
    offered = d.rows_params(_offered_rows(d), [(needs,) for needs in offers])
    return {**d.rows_params(asked_rows(d), [(name,) for name in queues]), **offered}


@cache
def asked_rows(d: Dialect) -> Rows:
    return batch(d, tables.queues, "name", alias="asked")


@cache
def _offered_rows(d: Dialect) -> Rows:
    return batch(d, tables.runs, "needs", alias="offered")


@cache
def _skipping(d: Dialect, *, given: bool) -> str:
    unpaused = f"NOT {PAUSED.format(queue='lane.queue')}"
    return f"WITH RECURSIVE {skip_scan(d, given=given)} SELECT * FROM lane WHERE {unpaused}"


@cache
def skip_scan(d: Dialect, *, given: bool) -> str:
    """The parts of a WITH RECURSIVE that end in `lane`: of the queues of the batch `asked` if they are `given`,
    otherwise of all, skipping from one existing need to the next."""
    first = "SELECT n.id FROM runs n WHERE {} ORDER BY n.queue, n.priority, n.due_at, n.id LIMIT 1"
    mine = f"{ready('n')} AND n.needs = {{}}.needs"
    if given:
        begin = f"need CROSS JOIN {asked_rows(d).sql}"
        head = first.format(f"{mine.format('need')} AND n.queue = asked.name")
        after = first.format(f"{mine.format('lane')} AND n.queue = lane.queue AND n.priority > lane.priority")
    else:
        begin = "need"
        head = first.format(mine.format("need"))
        after = first.format(f"{mine.format('lane')} AND (n.queue, n.priority) > (lane.queue, lane.priority)")
    columns = "r.needs, r.queue, r.priority, r.due_at, r.id"
    lane = (
        f"lane AS (SELECT {columns} FROM {begin} JOIN runs r ON r.id = ({head}) "
        f"UNION ALL SELECT {columns} FROM lane JOIN runs r ON r.id = ({after}))"
    )
    if given:
        return f"need AS (SELECT needs FROM {_offered_rows(d).sql}), {lane}"
    next_need = f"SELECT n.needs FROM runs n WHERE {ready('n')} {{}} ORDER BY n.needs LIMIT 1"
    return (
        f"present AS (SELECT ({next_need.format('')}) AS needs "
        f"UNION ALL SELECT ({next_need.format('AND n.needs > present.needs')}) FROM present "
        "WHERE present.needs IS NOT NULL), "
        f"need AS (SELECT needs FROM present WHERE {d.among('needs', 'offers')}), {lane}"
    )


# MySQL and MariaDB cannot start an index scan at a value of the outer row: they skip only by GROUP BY, and only if
# nothing in the WHERE looks cheaper. So all lanes are grouped at once, and those of a few queues are probed one by one.


@cache
def _grouped(d: Dialect) -> str:
    unpaused = f"NOT {PAUSED.format(queue='lane.queue')}"
    return (
        "SELECT * FROM (SELECT needs, queue, status, held, priority, MIN(due_at) AS due_at FROM runs "
        f"GROUP BY needs, queue, status, held, priority) AS lane WHERE {ready('lane')} AND {unpaused}"
    )


@cache
def _probe_rows(d: Dialect) -> Rows:
    return batch(d, tables.runs, "needs", "queue")


@cache
def _probed(d: Dialect) -> str:
    priorities = " UNION ALL ".join(f"SELECT {priority} AS priority" for priority in _PRIORITIES)
    mine = f"{ready('r')} AND r.needs = v.needs AND r.queue = v.queue"
    return (
        "SELECT v.needs, v.queue, p.priority, (SELECT r.due_at FROM runs r "
        f"WHERE {mine} AND r.priority = p.priority ORDER BY r.due_at LIMIT 1) AS due_at "
        f"FROM {_probe_rows(d).sql} CROSS JOIN ({priorities}) AS p "
        f"WHERE EXISTS (SELECT 1 FROM runs r WHERE {mine}) AND NOT {PAUSED.format(queue='v.queue')}"
    )


def _lane(row: Row) -> Lane:
    return Lane(row["queue"], int(row["priority"]), row["needs"], row["due_at"])
