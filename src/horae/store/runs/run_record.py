"""Run records, read from a row: the fields that are columns of the live table, or of history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.jobs.job_list import names_and_attempts
from horae.store.rows import load

CARRIED = tuple(column.name for column in tables.runs.columns if column.name in tables.run_history.columns)
"""What a run keeps when it ends; its status changes then."""
LIVE_COLUMNS = tuple(column.name for column in tables.runs.columns if column.name in RunRecord._fields)
ENDED_COLUMNS = tuple(column.name for column in tables.run_history.columns if column.name in RunRecord._fields)
_DECODED: dict[str, Callable[[Any], Any]] = {
    "input": load,
    "progress": load,
    "result": load,
    "held": bool,
    "parked": bool,  # numbers if a database has no booleans
}
_ADDED = ("job_name", "max_attempts", "truncated")
_LONG = ("input", "result")
_LISTED = 4_096  # bytes of a document that a list shows


def select(table: str, columns: Sequence[str], short: Dialect | None = None, **computed: str) -> str:
    """With a dialect as `short`, for lists: without long documents. `computed` replaces columns."""
    if short is not None:
        computed |= {column: _shortened(short, column) for column in _LONG}
    listed = ", ".join(computed.get(column, f'r."{column}"') for column in columns)
    # The name and policy come from the version that the run was created from; a deleted job's versions are kept.
    return (
        f"SELECT {listed}, s.spec FROM {table} r JOIN job_versions s ON s.job_id = r.job_id AND s.version = r.version"
    )


def _shortened(d: Dialect, column: str) -> str:
    """NULL if it is long, so that the database does not even send it, and a second column that indicates it."""
    size = d.bytes(f"r.{column}")
    return (
        f"CASE WHEN {size} <= {_LISTED} THEN r.{column} END AS {column}, "
        f"CASE WHEN {size} > {_LISTED} THEN 1 ELSE 0 END AS {column}_is_long"
    )


async def records(
    db: Connection, d: Dialect, rows: Sequence[Row], columns: Sequence[str], *, short: bool = False
) -> list[RunRecord]:
    """From rows with these columns: those of live runs, or of ended ones."""
    long = [column for column in _LONG if column in columns] if short else []
    read, named = _reader(columns), await names_and_attempts(db, d, rows)
    return [
        read(row, (name, most, [column for column in long if row[f"{column}_is_long"]]))
        for row, (name, most) in zip(rows, named, strict=True)
    ]


class _Reader:
    """Converts rows with these columns into records. Columns and fields have different orders."""

    def __init__(self, columns: Sequence[str]) -> None:
        others = [field for field in RunRecord._fields if field not in (*columns, *_ADDED)]
        places = {name: place for place, name in enumerate((*columns, *_ADDED, *others))}
        self._columns = itemgetter(*columns)
        self._others = tuple(RunRecord._field_defaults[field] for field in others)
        self._fields = itemgetter(*(places[field] for field in RunRecord._fields))
        self._decoded = [(places[column], how) for column, how in _DECODED.items() if column in columns]
        self._status, self._outcome = places["status"], places["outcome"]

    def __call__(self, row: Row, added: tuple[str, int, Sequence[str]]) -> RunRecord:
        values = [*self._columns(row), *added, *self._others]
        for place, decode in self._decoded:
            values[place] = decode(values[place])
        if values[self._status] == RunStatus.SUCCEEDED:
            values[self._outcome] = AttemptOutcome.SUCCEEDED.value
        return RunRecord._make(self._fields(values))


@cache
def _reader(columns: Sequence[str]) -> _Reader:
    return _Reader(columns)
