"""`totals`: the counters of all time of each project and of the installation. Roll-ups keep them, so that reading them
costs the same for any number of jobs and ended runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from horae.domain.runs.series import INSTALLATION
from horae.store.counts.job_stats import COUNTED, SUMS
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.rows import batch, put
from horae.store.tables import counters as counter_tables

_COLUMNS = (*COUNTED, *SUMS)
_REASON = "skipped:"  # before the reason


class Totals(NamedTuple):
    """`ended`: runs and skipped occurrences by status, and what they add up to. `skipped`: occurrences by reason."""

    ended: dict[str, int]
    skipped: dict[str, int]


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.rows = batch(d, counter_tables.totals, "project_id", "counter", "value")
        insert, keys = d.insert_from("totals", self.rows), ("project_id", "counter")
        self.add = d.upsert(insert, keys, {"value": "{old} + {new}"})
        self.set = d.upsert(insert, keys, {"value": "{new}"})


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


async def add(db: Connection, d: Dialect, deltas: Sequence[Row]) -> None:
    """Part of a roll-up. The installation's rows come first, so roll-ups wait for each other there."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in deltas:
        for counter, value in _counted(row):
            sums[INSTALLATION, counter] += value
            sums[row["project_id"], counter] += value
    sql = _sql(d)
    await put(db, d, sql.add, sql.rows, [(*key, value) for key, value in sorted(sums.items()) if value])


async def totals(db: Connection, project_id: str | None) -> Totals:
    """Of a project, or of the installation. One statement for what is rolled up and what is not yet: between two, a
    roll-up could move something from one table to the other."""
    mine = "" if project_id is None else "WHERE project_id = :project_id"
    added = ", ".join(f"SUM({column}) AS {column}" for column in ("runs", *SUMS))
    rows = await db.fetch(
        f"SELECT counter AS status, NULL AS reason, value AS runs, {', '.join(f'0 AS {column}' for column in SUMS)} "
        "FROM totals WHERE project_id = :whose UNION ALL "
        f"SELECT status, reason, {added} FROM stat_deltas {mine} GROUP BY status, reason",
        {"whose": project_id or INSTALLATION, "project_id": project_id},
    )
    found: Counter[str] = Counter()
    for row in rows:
        for counter, value in _counted(row):
            found[counter] += int(value)
    reasons = {name.removeprefix(_REASON): found[name] for name in sorted(found) if name.startswith(_REASON)}
    return Totals({name: found[name] for name in _COLUMNS}, reasons)


async def recount(db: Connection, d: Dialect) -> int:
    """Sets the totals to what the counters of the jobs add up to, and says how many were wrong: processes of an older
    version roll up without them. Roll-ups wait meanwhile."""
    await db.fetch(f"SELECT counter FROM totals WHERE project_id = :whose {d.lock}", {"whose": INSTALLATION})
    right: Counter[tuple[str, str]] = Counter()
    added = ", ".join(f"SUM({column}) AS {column}" for column in _COLUMNS)
    for row in await db.fetch(f"SELECT project_id, {added} FROM job_stats GROUP BY project_id"):
        for column in _COLUMNS:
            right[INSTALLATION, column] += int(row[column])
            right[row["project_id"], column] += int(row[column])
    for row in await db.fetch(
        "SELECT project_id, reason, SUM(occurrences) AS n FROM skip_stats GROUP BY project_id, reason"
    ):
        right[INSTALLATION, _REASON + row["reason"]] += int(row["n"])
        right[row["project_id"], _REASON + row["reason"]] += int(row["n"])
    stored = {(row["project_id"], row["counter"]): row["value"] for row in await db.fetch("SELECT * FROM totals")}
    wrong = [(*key, right[key]) for key in sorted({*right, *stored}) if right[key] != stored.get(key, 0)]
    sql = _sql(d)
    await put(db, d, sql.set, sql.rows, wrong)
    return len(wrong)


def _counted(row: Row) -> Iterator[tuple[str, int]]:
    """What a row of the deltas, or of the totals, adds to which counter."""
    if row["status"] in _COLUMNS or row["status"].startswith(_REASON):
        yield row["status"], row["runs"]
    if row["reason"] is not None:
        yield _REASON + row["reason"], row["runs"]
    for column in SUMS:
        yield column, row[column]
