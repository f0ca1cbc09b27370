"""INSERT statements for queued runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import attrgetter

from horae.domain.runs.run import NewRun
from horae.store import tables
from horae.store.dialects.base import Dialect, Rows, listed
from horae.store.rows import batch
from horae.store.runs import history

_new = NewRun._fields
_NEW = tuple(name for name in _new if not tables.runs.columns[name].nullable and name != "due_at")
_MAY_BE_NEW = tuple(name for name in _new if name not in _NEW)
_perhaps = attrgetter(*_MAY_BE_NEW)


class Insert:
    """For runs with these columns: most have few of the optional ones, and absent columns cost nothing."""

    def __init__(self, d: Dialect, more: tuple[str, ...]) -> None:
        columns = (*_NEW, *more)
        self.values = attrgetter(*columns)
        self.rows: Rows = batch(d, tables.runs, *columns)
        plain = [column for column in columns if column != "due_at"]
        due_at = f"COALESCE(v.due_at, {d.now})" if "due_at" in more else d.now
        self.plain = (
            f"INSERT INTO runs ({listed(plain)}, due_at, status, attempt, uncounted, created_at) "
            f"SELECT {listed(plain, 'v.')}, {due_at}, 'queued', 0, 0, {d.now} FROM {self.rows.sql}"
        )
        # The caller provides the id, and may be so late that its run has already ended.
        self.unless_over = f"{self.plain} WHERE {history.absent('v.id')}"
        # Usually one run: with the id as a parameter, only one partition of the history is searched.
        self.one_unless_over = f"{self.plain} WHERE {history.absent(':only')}"


@cache
def _insert(d: Dialect, more: tuple[str, ...]) -> Insert:
    return Insert(d, more)


def insert_of(d: Dialect, runs: Sequence[NewRun]) -> Insert:
    columns = zip(_MAY_BE_NEW, zip(*map(_perhaps, runs), strict=True), strict=True)
    return _insert(d, tuple(name for name, values in columns if values.count(None) < len(runs)))
