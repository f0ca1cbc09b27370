"""`dead_letters`: unresolved failed runs. A row is deleted when it is redriven or discarded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from horae.domain.pages import Page
from horae.domain.runs.dead_letter import Dead, DeadFilter, DeadGroup, DeadLetter, DeadLetterRecord
from horae.store import tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Reading, batch, some
from horae.store.runs import dead_groups

_ALIVE = "EXISTS (SELECT 1 FROM jobs j WHERE j.id = d.job_id)"


@cache
def _add(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.dead_letters, *Dead._fields)
    return d.ignore_duplicates(d.insert_from("dead_letters", rows, {"failed_at": d.now})), rows


class DeadLetterTable(Reading):
    async def add(self, dead: Sequence[Dead]) -> None:
        await self.put(*_add(self.d), list(map(tuple, dead)))

    async def page(
        self, project_id: str, where: DeadFilter, *, limit: int, after: str | None
    ) -> Page[DeadLetterRecord]:
        wheres, params = _conditions(self.d, project_id, where)
        if after is not None:
            wheres.append("d.run_id < :after")
        rows = await self.db.fetch(
            f"SELECT d.run_id, d.fingerprint, d.failed_at FROM dead_letters d WHERE {' AND '.join(wheres)} "
            "ORDER BY d.run_id DESC LIMIT :limit",
            {**params, "after": after, "limit": limit + 1},
        )
        shown = {row["run_id"]: row for row in rows[:limit]}
        runs = await self.history.runs(project_id, shown, short=True)
        letters = [DeadLetterRecord(run, shown[run.id]["fingerprint"], shown[run.id]["failed_at"]) for run in runs]
        return Page(letters[::-1], rows[limit - 1]["run_id"] if len(rows) > limit else None)

    async def groups(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[DeadGroup]:
        wheres, params = _conditions(self.d, project_id, where)
        return await dead_groups.page(self.db, self.d, self.history, wheres, params, limit, after)

    async def count(self, project_id: str, where: DeadFilter, *, of_jobs: bool) -> int:
        wheres, params = _conditions(self.d, project_id, where, of_jobs=of_jobs)
        (row,) = await self.db.fetch(f"SELECT COUNT(*) AS n FROM dead_letters d WHERE {' AND '.join(wheres)}", params)
        return int(row["n"])

    async def newest(self, project_id: str) -> str | None:
        rows = await self.db.fetch(
            "SELECT run_id FROM dead_letters WHERE project_id = :project_id ORDER BY run_id DESC LIMIT 1",
            {"project_id": project_id},
        )
        return rows[0]["run_id"] if rows else None

    async def latest_failed(self, job_id: str) -> str | None:
        """The newest failed run of a job: a dead letter, or one among its newest runs that was resolved."""
        rows = await self.db.fetch(
            "SELECT run_id FROM dead_letters WHERE job_id = :job_id ORDER BY run_id DESC LIMIT 1", {"job_id": job_id}
        )
        found = [*(row["run_id"] for row in rows), await self.history.latest_failed(job_id)]
        return max((run_id for run_id in found if run_id is not None), default=None)

    async def take(
        self, project_id: str, where: DeadFilter, *, of_jobs: bool, after: str, through: str, limit: int
    ) -> list[DeadLetter]:
        wheres, params = _conditions(self.d, project_id, where, of_jobs=of_jobs)
        rows = await self.db.fetch(
            f"SELECT d.run_id FROM dead_letters d WHERE {' AND '.join(wheres)} AND d.run_id > :after "
            f"AND d.run_id <= :through ORDER BY d.run_id LIMIT :limit {self.d.lock_of('d')}",
            {**params, "after": after, "through": through, "limit": limit},
        )
        return await self.history.pick(DeadLetter, [row["run_id"] for row in rows])

    async def resolve(self, run_ids: Collection[str]) -> int:
        if not run_ids:
            return 0
        return await self.db.execute(
            f"DELETE FROM dead_letters WHERE {self.d.among('run_id', 'ids')}", {"ids": some(run_ids)}
        )


def _conditions(
    d: Dialect, project_id: str, where: DeadFilter, *, of_jobs: bool = False
) -> tuple[list[str], dict[str, Any]]:
    """`of_jobs`: only for existing jobs."""
    wheres, params = ["d.project_id = :project_id"], {"project_id": project_id, **_given(where)}
    for name, condition in (
        ("job_id", "d.job_id = :job_id"),
        ("fingerprint", "d.fingerprint = :fingerprint"),
        ("since", "d.failed_at >= :since"),
        ("until", "d.failed_at < :until"),
        ("ids", d.among("d.run_id", "ids")),
    ):
        if name in params:
            wheres.append(condition)
    if of_jobs:
        wheres.append(_ALIVE)
    return wheres, params


def _given(where: DeadFilter) -> dict[str, Any]:
    found = {name: getattr(where, name) for name in ("job_id", "fingerprint", "since", "until")}
    ids = None if where.ids is None else list(where.ids)
    return {name: value for name, value in {**found, "ids": ids}.items() if value is not None}
