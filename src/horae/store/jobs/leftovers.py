"""What jobs leave behind: old versions, finished one-time jobs, and data of deleted jobs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.jobs.retention import Retention
from horae.store.dialects.base import Row
from horae.store.jobs.job_list import spec_of
from horae.store.rows import Reading, some

_LIVE = "EXISTS (SELECT 1 FROM runs r WHERE r.job_id = {id})"
_ONCE = '"schedule":{"at":'  # the plan of a one-time job


class LeftoverTables(Reading):
    async def job_ids(self, after: str, limit: int) -> list[str]:
        """All jobs that ever existed and have left something behind."""
        rows = await self.db.fetch(
            "SELECT DISTINCT job_id FROM job_versions WHERE job_id > :after ORDER BY job_id LIMIT :limit",
            {"after": after, "limit": limit},
        )
        return [row["job_id"] for row in rows]

    async def gone(self, job_ids: Collection[str]) -> list[str]:
        # The history last: a run that is just ending moves there, and its counters to the deltas.
        rows = await self.db.fetch(
            f"SELECT DISTINCT s.job_id FROM job_versions s WHERE {self.d.among('s.job_id', 'ids')} "
            f"AND NOT {_LIVE.format(id='s.job_id')} AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id) "
            "AND NOT EXISTS (SELECT 1 FROM stat_deltas t WHERE t.job_id = s.job_id)",
            {"ids": some(job_ids)},
        )
        found = [row["job_id"] for row in rows]
        ended = await self.history.of_jobs(found)
        return [job_id for job_id in found if job_id not in ended]

    async def old_versions(self, job_ids: Collection[str], keep: Retention, limit: int) -> dict[str, list[int]]:
        rows = await self.db.fetch(
            "SELECT s.job_id, s.version FROM job_versions s JOIN jobs j ON j.id = s.job_id "
            f"WHERE {self.d.among('s.job_id', 'ids')} AND s.version <= j.version - :kept "
            f"AND s.created_at < {self.d.earlier(':age')} ORDER BY s.job_id, s.version LIMIT :limit",
            {"ids": some(job_ids), "kept": keep.versions_kept, "age": keep.versions, "limit": limit},
        )
        found: dict[str, list[int]] = {}
        for row in rows:
            found.setdefault(row["job_id"], []).append(row["version"])
        unnamed = {job_id: await self._unnamed(job_id, versions) for job_id, versions in found.items()}
        return {job_id: versions for job_id, versions in unnamed.items() if versions}

    async def _unnamed(self, job_id: str, versions: Sequence[int]) -> list[int]:
        """Runs are created from the current version only: the number of runs with an older version can only
        decrease."""
        rows = await self.db.fetch(
            "SELECT DISTINCT version FROM runs WHERE job_id = :job_id AND version <= :newest",
            {"job_id": job_id, "newest": versions[-1]},
        )
        named = {row["version"] for row in rows} | await self.history.versions(job_id, versions[-1])
        return [version for version in versions if version not in named]

    async def finished(self, job_ids: Collection[str], keep: Retention) -> list[tuple[str, str]]:
        soon = keep.finished_jobs
        rows: Sequence[Row] = await self.db.fetch(
            "SELECT j.id, j.project_id, s.spec FROM jobs j "
            "JOIN job_versions s ON s.job_id = j.id AND s.version = j.version "
            f"WHERE {self.d.among('j.id', 'ids')} AND j.next_run_at IS NULL AND j.enabled AND NOT j.paused "
            f"AND {self.d.holds('j.plan', 'once')} AND j.updated_at < {self.d.earlier(':age')} "
            f"AND NOT {_LIVE.format(id='j.id')} "
            "AND NOT EXISTS (SELECT 1 FROM dead_letters x WHERE x.job_id = j.id) "
            "AND NOT EXISTS (SELECT 1 FROM job_dependencies y WHERE y.upstream_id = j.id)",
            {"ids": some(job_ids), "once": _ONCE, "age": keep.runs if soon is None else soon},
        )
        ended = await self.history.of_jobs([row["id"] for row in rows], younger_than=soon)
        found = [(row, spec_of(row["spec"])) for row in rows if row["id"] not in ended]
        # An unreadable one may be one to keep.
        return [(row["project_id"], row["id"]) for row, spec in found if not spec.keep and not spec.fault]

    async def drop_versions(self, job_id: str, versions: Collection[int] | None = None) -> None:
        """These versions, or all."""
        which = "" if versions is None else f" AND {self.d.among('version', 'versions')}"
        await self.db.execute(
            f"DELETE FROM job_versions WHERE job_id = :job_id{which}",
            {"job_id": job_id, "versions": some(versions or ())},
        )
