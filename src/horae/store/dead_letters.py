"""`dead_letters`: failed runs that somebody has to look at. A row goes when it is redriven or discarded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from horae.domain.dead_letter import DeadFilter, DeadGroup, DeadJob, DeadLetter
from horae.domain.records import Page
from horae.store.dialects.base import Dialect, Row
from horae.store.job_list import names_and_attempts
from horae.store.rows import Group, load, some

_JOBS_SHOWN = 10
_LOOKED_AT = 1_000  # of a job's newest runs
_LETTER = (
    'd.run_id AS id, d.job_id, d.fingerprint, d.failed_at, h.version, h."trigger", h.attempt, h.uncounted, h.error, '
    "h.exit_code, h.response_code, h.input, h.scheduled_for, h.triggered_by, h.created_at, s.spec"
)
_RUN = "JOIN run_history h ON h.id = d.run_id JOIN job_versions s ON s.job_id = h.job_id AND s.version = h.version"
_FIELDS = (
    *("id", "job_id", "fingerprint", "failed_at", "version", "trigger", "attempt", "uncounted", "error", "exit_code"),
    *("response_code", "scheduled_for", "triggered_by", "created_at"),
)
_ALIVE = "EXISTS (SELECT 1 FROM jobs j WHERE j.id = d.job_id)"


class DeadLetterTable(Group):
    async def page(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[dict[str, Any]]:
        wheres, params = _conditions(self.d, project_id, where)
        if after is not None:
            wheres.append("d.run_id < :after")
        rows = await self.db.fetch(
            f"SELECT {_LETTER} FROM dead_letters d {_RUN} WHERE {' AND '.join(wheres)} "
            "ORDER BY d.run_id DESC LIMIT :limit",
            {**params, "after": after, "limit": limit + 1},
        )
        shown, items = rows[:limit], []
        for row, (name, most) in zip(shown, await names_and_attempts(self.db, self.d, shown), strict=True):
            item = {field: row[field] for field in _FIELDS}
            item |= {"input": load(row["input"]), "job_name": name}
            items.append({**item, "max_attempts": most})
        return Page(items, items[-1]["id"] if len(rows) > limit else None)

    async def groups(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[DeadGroup]:
        wheres, params = _conditions(self.d, project_id, where)
        if after is not None:
            wheres.append("d.fingerprint > :after")
        first, last = self.d.time("MIN(d.failed_at)", "first_at"), self.d.time("MAX(d.failed_at)", "last_at")
        rows = await self.db.fetch(
            f"SELECT d.fingerprint, COUNT(*) AS n, {first}, {last} FROM dead_letters d "
            f"WHERE {' AND '.join(wheres)} GROUP BY d.fingerprint ORDER BY d.fingerprint LIMIT :limit",
            {**params, "after": after, "limit": limit + 1},
        )
        shown = rows[:limit]
        shares = await self._shares(project_id, where, [row["fingerprint"] for row in shown])
        groups = []
        for row in shown:
            newest, jobs = shares[row["fingerprint"]]
            groups.append(
                DeadGroup(
                    row["fingerprint"],
                    int(row["n"]),
                    row["first_at"],
                    row["last_at"],
                    newest["run_id"],
                    newest["error"],
                    newest["exit_code"],
                    newest["response_code"],
                    jobs,
                )
            )
        return Page(groups, groups[-1].fingerprint if len(rows) > limit else None)

    async def _shares(
        self, project_id: str, where: DeadFilter, fingerprints: list[str]
    ) -> dict[str, tuple[Row, tuple[DeadJob, ...]]]:
        """Of each group: its newest run, and its jobs, the largest share first."""
        if not fingerprints:
            return {}
        wheres, params = _conditions(self.d, project_id, where)
        # The newest by place: databases have no MAX of an id. Only what is shown is looked up in the history.
        letters = (
            "SELECT d.fingerprint, d.job_id, d.run_id, COUNT(*) OVER (PARTITION BY d.fingerprint, d.job_id) AS n, "
            "ROW_NUMBER() OVER (PARTITION BY d.fingerprint, d.job_id ORDER BY d.run_id DESC) AS place "
            f"FROM dead_letters d WHERE {' AND '.join(wheres)} AND {self.d.among('d.fingerprint', 'fingerprints')}"
        )
        ranked = (
            "SELECT l.fingerprint, l.job_id, l.run_id, l.n, "
            "ROW_NUMBER() OVER (PARTITION BY l.fingerprint ORDER BY l.n DESC, l.job_id) AS by_size, "
            "ROW_NUMBER() OVER (PARTITION BY l.fingerprint ORDER BY l.run_id DESC) AS by_age "
            f"FROM ({letters}) l WHERE l.place = 1"
        )
        rows = await self.db.fetch(
            "SELECT n.fingerprint, n.job_id, n.n, n.run_id, h.error, h.exit_code, h.response_code, s.spec "
            f"FROM ({ranked}) n JOIN run_history h ON h.id = n.run_id "
            "JOIN job_versions s ON s.job_id = h.job_id AND s.version = h.version "
            f"WHERE n.by_size <= {_JOBS_SHOWN} OR n.by_age = 1",
            {**params, "fingerprints": fingerprints},
        )
        of: dict[str, list[tuple[Row, DeadJob]]] = defaultdict(list)
        for row, (name, _) in zip(rows, await names_and_attempts(self.db, self.d, rows), strict=True):
            of[row["fingerprint"]].append((row, DeadJob(row["job_id"], name, int(row["n"]))))
        found = {}
        for fingerprint, shares in of.items():
            newest = max((row for row, _ in shares), key=lambda row: str(row["run_id"]))
            jobs = sorted((job for _, job in shares), key=lambda job: (-job.count, job.id))
            found[fingerprint] = (newest, tuple(jobs[:_JOBS_SHOWN]))
        return found

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
        rows = [
            *rows,
            *await self.db.fetch(
                "SELECT n.id AS run_id FROM (SELECT id, status FROM run_history WHERE job_id = :job_id "
                f"ORDER BY id DESC LIMIT {_LOOKED_AT}) n WHERE n.status = 'failed' ORDER BY n.id DESC LIMIT 1",
                {"job_id": job_id},
            ),
        ]
        return max((str(row["run_id"]) for row in rows), default=None)

    async def take(
        self, project_id: str, where: DeadFilter, *, of_jobs: bool, after: str, through: str, limit: int
    ) -> list[DeadLetter]:
        wheres, params = _conditions(self.d, project_id, where, of_jobs=of_jobs)
        rows = await self.db.fetch(
            f"SELECT d.run_id FROM dead_letters d WHERE {' AND '.join(wheres)} AND d.run_id > :after "
            f"AND d.run_id <= :through ORDER BY d.run_id LIMIT :limit {self.d.lock_of('d')}",
            {**params, "after": after, "through": through, "limit": limit},
        )
        if not rows:
            return []
        found = await self.db.fetch(
            f"SELECT id, job_id, input, scheduled_for FROM run_history WHERE {self.d.among('id', 'ids')} ORDER BY id",
            {"ids": [row["run_id"] for row in rows]},
        )
        return [DeadLetter(row["id"], row["job_id"], row["input"], row["scheduled_for"]) for row in found]

    async def resolve(self, run_ids: Collection[str]) -> int:
        if not run_ids:
            return 0
        return await self.db.execute(
            f"DELETE FROM dead_letters WHERE {self.d.among('run_id', 'ids')}", {"ids": some(run_ids)}
        )


def _conditions(
    d: Dialect, project_id: str, where: DeadFilter, *, of_jobs: bool = False
) -> tuple[list[str], dict[str, Any]]:
    """`of_jobs`: only of jobs that are still there."""
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
