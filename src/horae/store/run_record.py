"""A run as people see it, made of a row: which columns it has, live and ended, follows from the two tables."""

from __future__ import annotations

from collections.abc import Sequence

from horae.domain.runs.run import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.store import tables
from horae.store.cut import left_out, shortened
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.job_list import names_and_attempts
from horae.store.rows import load, words

CARRIED = tuple(column.name for column in tables.runs.columns if column.name in tables.run_history.columns)
"""What a run takes along when it ends; its status is a new one then."""
_ENDED_ONLY = tuple(column.name for column in tables.run_history.columns if column.name not in CARRIED)
_LIVE_ONLY = words("held parked lease_until cancel_requested_at start_by")  # the others are for claims and gates
LIVE_COLUMNS = (*CARRIED, *_LIVE_ONLY)
ENDED_COLUMNS = (*CARRIED, *_ENDED_ONLY)
_JSON = ("input", "progress", "result")
_LONG = ("input", "result")


def select(table: str, columns: Sequence[str], short: Dialect | None = None, **computed: str) -> str:
    """For a list, in the words of the dialect `short`: without documents that are long. `computed` stand in the place
    of columns."""
    if short is not None:
        computed |= {column: shortened(short, f"r.{column}", column) for column in _LONG}
    listed = ", ".join(computed.get(column, f'r."{column}"') for column in columns)
    # The name and policy come from the version that the run was made of; a deleted job's versions stay.
    return (
        f"SELECT {listed}, s.spec FROM {table} r JOIN job_versions s ON s.job_id = r.job_id AND s.version = r.version"
    )


async def records(
    db: Connection, d: Dialect, rows: Sequence[Row], columns: Sequence[str], *, short: bool = False
) -> list[RunRecord]:
    """Of rows with these columns: those of live runs, or those of ended ones."""
    long = [column for column in _LONG if column in columns] if short else []
    found = []
    for row, (name, most) in zip(rows, await names_and_attempts(db, d, rows), strict=True):
        record = _record(row, columns)
        record["job_name"], record["max_attempts"], record["truncated"] = name, most, left_out(row, long)
        found.append(record)
    return found


def _record(row: Row, columns: Sequence[str]) -> RunRecord:
    record: RunRecord = dict.fromkeys((*_ENDED_ONLY, *_LIVE_ONLY))
    for column in columns:
        record[column] = row[column]
    for column in _JSON:
        record[column] = load(record[column])
    record["held"], record["parked"] = bool(record["held"]), bool(record["parked"])
    record["occurrences"] = record["occurrences"] or 1
    if record["status"] == RunStatus.SUCCEEDED:
        record["outcome"] = AttemptOutcome.SUCCEEDED.value
    return record
