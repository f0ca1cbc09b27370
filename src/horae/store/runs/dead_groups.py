"""Dead letters by cause, the largest group first. Groups are counted with an index; the letters themselves are read
only for the groups of the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from horae.domain.pages import Page
from horae.domain.runs.dead_letter import DeadGroup, DeadJob
from horae.ports import History
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.jobs.job_list import job_names
from horae.store.rows import batch

_JOBS_SHOWN = 10


class _Cause(NamedTuple):
    id: str
    error: str | None
    exit_code: int | None
    response_code: int | None


async def page(
    db: Connection,
    d: Dialect,
    history: History,
    wheres: Sequence[str],
    params: dict[str, Any],
    limit: int,
    after: str | None,
) -> Page[DeadGroup]:
    """`wheres` are conditions on the dead letters `d`."""
    having, beyond = "", {}
    if after is not None:
        size, fingerprint = after.split(" ", 1)
        beyond = {"size": int(size), "after": fingerprint}
        having = "HAVING COUNT(*) < :size OR (COUNT(*) = :size AND d.fingerprint > :after) "
    found = await db.fetch(
        f"SELECT d.fingerprint, COUNT(*) AS n FROM dead_letters d WHERE {' AND '.join(wheres)} "
        f"GROUP BY d.fingerprint {having}ORDER BY n DESC, d.fingerprint LIMIT :limit",
        {**params, **beyond, "limit": limit + 1},
    )
    shown = {row["fingerprint"]: int(row["n"]) for row in found[:limit]}
    if not shown:
        return Page([], None)
    shares = await _shares(db, d, wheres, {**params, "fingerprints": list(shown)})
    newest = await _newest(db, d, wheres, params, list(shown))
    causes = {one.id: one for one in await history.pick(_Cause, newest.values())}
    names = await job_names(db, d, {row["job_id"] for rows in shares.values() for row in rows})
    groups = [
        DeadGroup(
            fingerprint,
            count,
            shares[fingerprint][0]["first_at"],
            shares[fingerprint][0]["last_at"],
            newest[fingerprint],
            *causes[newest[fingerprint]][1:],
            tuple(DeadJob(row["job_id"], names[row["job_id"]], int(row["n"])) for row in shares[fingerprint]),
        )
        for fingerprint, count in shown.items()
        if newest.get(fingerprint) in causes and fingerprint in shares  # one may be resolved between two statements
    ]
    last = found[limit - 1] if len(found) > limit else None
    return Page(groups, f"{last['n']} {last['fingerprint']}" if last else None)


async def _shares(db: Connection, d: Dialect, wheres: Sequence[str], params: dict[str, Any]) -> dict[str, list[Row]]:
    """The jobs of each group, largest share first, with the times of its first and last failure."""
    by_job = (
        "SELECT d.fingerprint, d.job_id, COUNT(*) AS n, MIN(d.failed_at) AS first_of, MAX(d.failed_at) AS last_of "
        f"FROM dead_letters d WHERE {' AND '.join([*wheres, d.among('d.fingerprint', 'fingerprints')])} "
        "GROUP BY d.fingerprint, d.job_id"
    )
    ranked = (
        "SELECT s.fingerprint, s.job_id, s.n, MIN(s.first_of) OVER (PARTITION BY s.fingerprint) AS first_of, "
        "MAX(s.last_of) OVER (PARTITION BY s.fingerprint) AS last_of, "
        f"ROW_NUMBER() OVER (PARTITION BY s.fingerprint ORDER BY s.n DESC, s.job_id) AS place FROM ({by_job}) s"
    )
    first, last = d.time("r.first_of", "first_at"), d.time("r.last_of", "last_at")
    rows = await db.fetch(
        f"SELECT r.fingerprint, r.job_id, r.n, {first}, {last} FROM ({ranked}) r WHERE r.place <= {_JOBS_SHOWN} "
        "ORDER BY r.fingerprint, r.place",
        params,
    )
    shares: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        shares[row["fingerprint"]].append(row)
    return shares


async def _newest(
    db: Connection, d: Dialect, wheres: Sequence[str], params: dict[str, Any], fingerprints: list[str]
) -> dict[str, str]:
    """The newest run's id of each group. With ORDER BY: not every database has MAX for ids."""
    groups = batch(d, tables.dead_letters, "fingerprint")
    first = (
        f"SELECT d.run_id FROM dead_letters d WHERE {' AND '.join(wheres)} AND d.fingerprint = v.fingerprint "
        "ORDER BY d.run_id DESC LIMIT 1"
    )
    rows = await db.fetch(
        f"SELECT v.fingerprint, ({first}) AS run_id FROM {groups.sql}",
        {**params, **d.rows_params(groups, [(one,) for one in fingerprints])},
    )
    return {row["fingerprint"]: row["run_id"] for row in rows if row["run_id"] is not None}
