"""Runs as people see them: live and ended ones as one list. The live table is read first and history second, so that a
run which moves in between is seen twice (and kept once) rather than not at all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from horae.domain.records import Page, RunFilter
from horae.domain.run import RunRecord
from horae.domain.states import LIVE, AttemptOutcome, RunStatus, Trigger
from horae.store.cut import left_out, shortened
from horae.store.dialects.base import Connection, Dialect, Params, Row
from horae.store.dialects.months import smallest_id
from horae.store.job_list import names_and_attempts
from horae.store.rows import is_id, load

_SHARED = (
    *(
        "id",
        "job_id",
        "version",
        "project_id",
        "trigger",
        "scheduled_for",
        "due_at",
        "queue",
        "priority",
        "status",
    ),
    *("attempt", "uncounted", "worker_id", "started_at", "input", "progress", "parent_run_id", "rerun_of"),
    *("scheduler_id", "triggered_by", "created_at", "operation_id", "cancel_requested_by"),
)
_LIVE_ONLY = ("held", "parked", "lease_until", "cancel_requested_at", "start_by")
_ENDED_ONLY = (
    *("finished_at", "duration_ms", "response_code", "exit_code", "result", "error", "traceback", "reason"),
    *("occurrences", "scheduled_until", "outcome"),
)
_JSON = ("input", "progress", "result")


_LONG = ("input", "result")


def _select(table: str, columns: Sequence[str], short: Dialect | None = None) -> str:
    """For a list, in the words of the dialect `short`: without documents that are long."""
    listed = ", ".join(
        shortened(short, f"r.{column}", column) if short is not None and column in _LONG else f'r."{column}"'
        for column in columns
    )
    # The name and policy come from the version that the run was made of; a deleted job's versions stay.
    return (
        f"SELECT {listed}, s.spec FROM {table} r JOIN job_versions s ON s.job_id = r.job_id AND s.version = r.version"
    )


_LIVE_COLUMNS = (*_SHARED, *_LIVE_ONLY)
_ENDED_COLUMNS = (*_SHARED, *_ENDED_ONLY)
_LIVE = _select("runs", _LIVE_COLUMNS)
_ADDED = _select("added", _LIVE_COLUMNS)
_ENDED = _select("run_history", _ENDED_COLUMNS)


@cache
def _lists(d: Dialect) -> tuple[tuple[str, bool], ...]:
    """What a list reads, and whether that is live runs."""
    return (_select("runs", _LIVE_COLUMNS, d), True), (_select("run_history", _ENDED_COLUMNS, d), False)


async def add(db: Connection, d: Dialect, insert: str, params: Params) -> list[RunRecord]:
    """Inserts and shows in one statement, where a database can."""
    rows = await db.fetch(f"WITH added AS ({insert} RETURNING *) {_ADDED} ORDER BY r.id", params)
    return await _records(db, d, rows, live=True)


async def find(db: Connection, d: Dialect, project_id: str, run_id: str) -> RunRecord | None:
    if not is_id(run_id):
        return None
    params = {"id": run_id, "project_id": project_id}
    for select in (_LIVE, _ENDED):
        rows = await db.fetch(f"{select} WHERE r.id = :id AND r.project_id = :project_id", params)
        if rows:
            (record,) = await _records(db, d, rows, live=select is _LIVE)
            return record
    return None


async def live(db: Connection, d: Dialect, project_id: str, run_ids: list[str]) -> list[RunRecord]:
    rows = await db.fetch(
        f"{_LIVE} WHERE {d.among('r.id', 'ids')} AND r.project_id = :project_id ORDER BY r.id",
        {"ids": run_ids, "project_id": project_id},
    )
    return await _records(db, d, rows, live=True)


async def ended(db: Connection, d: Dialect, project_id: str, run_ids: list[str]) -> list[RunRecord]:
    rows = await db.fetch(
        f"{_ENDED} WHERE {d.among('r.id', 'ids')} AND r.project_id = :project_id ORDER BY r.id",
        {"ids": run_ids, "project_id": project_id},
    )
    return await _records(db, d, rows, live=False)


class Asked(NamedTuple):
    """A page of runs."""

    project_id: str
    where: RunFilter
    limit: int
    after: str | None
    oldest_first: bool


def _conditions(d: Dialect, asked: Asked) -> tuple[list[str], dict[str, Any]]:
    where = asked.where
    # All runs of a job are of one project. PostgreSQL does not know that, and would go by the project's runs: it is
    # asked in a way that its indexes do not serve.
    of_project = "r.project_id = :project_id" if where.job_id is None else d.same("r.project_id", ":project_id")
    wheres = [of_project]
    params: dict[str, Any] = {"project_id": asked.project_id, "limit": asked.limit + 1}
    # An id begins with when it was made, and is what the list goes by.
    bounds = {
        f"r.id {'>' if asked.oldest_first else '<'} :after": ("after", asked.after),
        "r.id >= :since": ("since", smallest_id(where.since) if where.since else None),
        "r.id < :until": ("until", smallest_id(where.until) if where.until else None),
        "r.job_id = :job_id": ("job_id", where.job_id),
        "r.worker_id = :worker_id": ("worker_id", where.worker_id),
        "r.queue = :queue": ("queue", where.queue),
    }
    for condition, (name, value) in bounds.items():
        if value is not None:
            wheres.append(condition)
            params[name] = value
    # As words of the statement: there is an index for some of them only, which a parameter would not show.
    if where.status is not None:
        wheres.append(f"r.status = '{RunStatus(where.status).value}'")
    if where.outcome is not None:
        wheres += _ended_so(AttemptOutcome(where.outcome), where)
    if where.trigger is not None:
        wheres.append(f"""r."trigger" = '{Trigger(where.trigger).value}'""")
    if where.queue not in (None, "default"):
        wheres.append("r.queue <> 'default'")
    return wheres, params


def _ended_so(outcome: AttemptOutcome, where: RunFilter) -> list[str]:
    if outcome is AttemptOutcome.SUCCEEDED:
        return ["r.status = 'succeeded'"]
    # The outcomes of one job have no index of their own: what did not succeed of it is found by status.
    unsuccessful = ["r.status IN ('failed', 'cancelled')"] if where.job_id is not None else []
    return [*unsuccessful, f"r.outcome = '{outcome.value}'"]


async def page(db: Connection, d: Dialect, asked: Asked) -> Page[RunRecord]:
    """Ids are in order of creation."""
    where, limit, down = asked.where, asked.limit, not asked.oldest_first
    wheres, params = _conditions(d, asked)
    tail = f" WHERE {' AND '.join(wheres)} ORDER BY r.id{' DESC' if down else ''} LIMIT :limit"
    found: dict[str, RunRecord] = {}
    for select, is_live in _lists(d):
        if (where.status is None or (where.status in LIVE) == is_live) and not (is_live and where.outcome):
            rows = await db.fetch(select + tail, params)
            found |= {record["id"]: record for record in await _records(db, d, rows, live=is_live, listed=True)}
    records = [found[run_id] for run_id in sorted(found, reverse=down)]
    more = len(records) > limit
    return Page(records[:limit], records[limit - 1]["id"] if more else None)


async def _records(
    db: Connection, d: Dialect, rows: Sequence[Row], *, live: bool, listed: bool = False
) -> list[RunRecord]:
    found = []
    for row, (name, most) in zip(rows, await names_and_attempts(db, d, rows), strict=True):
        record = _record(row, live=live)
        record["job_name"], record["max_attempts"] = name, most
        known = _LIVE_COLUMNS if live else _ENDED_COLUMNS
        record["truncated"] = left_out(row, [column for column in _LONG if column in known]) if listed else []
        found.append(record)
    return found


def _record(row: Row, *, live: bool) -> RunRecord:
    record: RunRecord = dict.fromkeys((*_ENDED_ONLY, *_LIVE_ONLY))
    for column in (*_SHARED, *(_LIVE_ONLY if live else _ENDED_ONLY)):
        record[column] = row[column]
    for column in _JSON:
        record[column] = load(record[column])
    record["held"], record["parked"] = bool(record["held"]), bool(record["parked"])
    record["occurrences"] = record["occurrences"] or 1
    if record["status"] == RunStatus.SUCCEEDED:
        record["outcome"] = AttemptOutcome.SUCCEEDED.value
    return record
