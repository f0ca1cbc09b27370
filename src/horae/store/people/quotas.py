"""`project_quotas`: limits of projects, and their usage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache

from horae.domain.people.quota import WIDE, Quota, QuotaRow, Use
from horae.store import tables as all_tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, batch, some
from horae.store.tables import quotas as tables

_KEPT = {
    Quota.JOBS: (  # a ping counts as one
        "SELECT 1 FROM jobs WHERE project_id = :project_id UNION ALL SELECT 1 FROM pings WHERE project_id = :project_id"
    ),
    Quota.SECRETS: "SELECT 1 FROM secrets WHERE project_id = :project_id",
    Quota.API_KEYS: (
        "SELECT 1 FROM api_keys WHERE project_id = :project_id AND (expires_at IS NULL OR expires_at > {now})"
    ),
}
# With the index that gates use: an index by project would cost every run, whether or not it has a quota. The runs of a
# deleted job count while some of them wait to be cancelled.
_LIVE = (
    "SELECT 1 FROM jobs j JOIN runs r ON r.job_id = j.id WHERE j.project_id = :project_id",
    "SELECT 1 FROM job_deletions d JOIN runs r ON r.job_id = d.job_id WHERE d.project_id = :project_id",
)


def bounded(project_id: str, *, many: bool = False) -> str:
    """Whether the project in this column has a quota of live runs: queried along with other data. For many rows, it is
    first determined whether any project has one, once for all of them; usually that is all."""
    mine = f"(SELECT 1 FROM project_quotas q WHERE q.project_id = {project_id} AND q.quota = 'live_runs')"
    if many:
        mine = f"CASE WHEN EXISTS (SELECT 1 FROM project_quotas a WHERE a.quota = 'live_runs') THEN {mine} END"
    return f"{mine} AS bounded"


@cache
def _taken(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.project_quotas, "project_id", "quota", "room")
    changed = {"room": "project_quotas.room - v.room"}
    where = "project_quotas.project_id = v.project_id AND project_quotas.quota = v.quota"
    return d.update_from("project_quotas", rows, changed, where), rows


@cache
def _rates(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, all_tables.jobs, "id", "version", "per_hour")
    changed = {"per_hour": "v.per_hour", "per_hour_of": "v.version"}
    return d.update_from("jobs", rows, changed, "jobs.id = v.id AND jobs.version = v.version"), rows


@cache
def _set(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.project_quotas, "project_id", "quota", "most", "room", "seen", "set_by")
    # The old count is dropped: places are counted when the first one is taken, when all others know the quota.
    changed = dict.fromkeys(("most", "room", "seen", "set_by", "set_at"), "{new}") | {"counted_at": "NULL"}
    return d.upsert(d.insert_from("project_quotas", rows, {"set_at": d.now}), ["project_id", "quota"], changed), rows


class QuotaTable(Group):
    async def lock(
        self, project_ids: Collection[str], quotas: Collection[Quota], *, wait: bool = True
    ) -> dict[tuple[str, Quota], QuotaRow]:
        rows = await self.db.fetch(
            f"SELECT project_id, quota, most, room, seen, {self.d.millis('counted_at', self.d.now)} AS age "
            f"FROM project_quotas WHERE {self.d.among('project_id', 'ids')} AND {self.d.among('quota', 'quotas')} "
            f"ORDER BY project_id, quota {self.d.lock if wait else self.d.lock_skip}",
            {"ids": some(project_ids), "quotas": some(quotas)},
        )
        return {
            (row["project_id"], Quota(row["quota"])): QuotaRow(row["most"], row["room"], row["seen"], row["age"])
            for row in rows
        }

    async def take(self, taken: Mapping[tuple[str, Quota], int]) -> None:
        sql, rows = _taken(self.d)
        await self.put(sql, rows, sorted((project, quota, count) for (project, quota), count in taken.items()))

    async def counted(self, project_id: str, quota: Quota, room: int, seen: int) -> None:
        await self.db.execute(
            f"UPDATE project_quotas SET room = :room, seen = :seen, counted_at = {self.d.now} "
            "WHERE project_id = :project_id AND quota = :quota",
            {"project_id": project_id, "quota": quota, "room": room, "seen": seen},
        )

    async def refused(self, project_ids: Collection[str], quota: Quota) -> None:
        await self.db.execute(
            f"UPDATE project_quotas SET refused_at = {self.d.now} WHERE {self.d.among('project_id', 'ids')} "
            f"AND quota = :quota AND (refused_at IS NULL OR refused_at < {self.d.earlier(':minute')})",
            {"ids": some(project_ids), "quota": quota, "minute": 60.0},
        )

    async def count(self, project_id: str, quota: Quota, most: int) -> Use:
        if quota is Quota.LIVE_RUNS:
            used = [await self._number(each, project_id, most) for each in _LIVE]
            return Use(sum(used), sum(used) + await self._number(_KEPT[Quota.JOBS], project_id, WIDE))
        used_up = await self._number(_KEPT[quota].format(now=self.d.now), project_id, most)
        return Use(used_up, used_up)

    async def _number(self, which: str, project_id: str, most: int) -> int:
        (row,) = await self.db.fetch(
            f"SELECT COUNT(*) AS n FROM ({which} LIMIT :most) AS found", {"project_id": project_id, "most": most}
        )
        return int(row["n"])

    async def rate(self, project_id: str) -> Use:
        (row,) = await self.db.fetch(
            "SELECT COUNT(*) AS n, SUM(per_hour) AS fires FROM jobs WHERE project_id = :project_id AND enabled "
            "AND per_hour_of = version",
            {"project_id": project_id},
        )
        return Use(int(row["fires"] or 0), int(row["n"]))

    async def unrated(self, project_id: str, limit: int, after: str | None = None) -> list[tuple[str, int, str]]:
        beyond = "" if after is None else " AND id > :after"
        rows = await self.db.fetch(
            "SELECT id, version, plan FROM jobs WHERE project_id = :project_id AND enabled "
            f"AND (per_hour_of IS NULL OR per_hour_of <> version){beyond} ORDER BY id LIMIT :limit",
            {"project_id": project_id, "limit": limit, "after": after},
        )
        return [(row["id"], row["version"], row["plan"]) for row in rows]

    async def set_rates(self, rates: Sequence[tuple[str, int, int]]) -> None:
        sql, rows = _rates(self.d)
        await self.put(sql, rows, sorted(rates))

    async def limits(self, project_id: str) -> dict[Quota, tuple[int, datetime | None]]:
        rows = await self.db.fetch(
            "SELECT quota, most, refused_at FROM project_quotas WHERE project_id = :project_id",
            {"project_id": project_id},
        )
        # A newer version may have others.
        return {Quota(row["quota"]): (row["most"], row["refused_at"]) for row in rows if row["quota"] in list(Quota)}

    async def set(self, project_id: str, quota: Quota, most: int, actor: str) -> None:
        sql, rows = _set(self.d)
        await self.put(sql, rows, [(project_id, quota, most, 0, 0, actor)])

    async def clear(self, project_id: str, quota: Quota) -> None:
        await self.db.execute(
            "DELETE FROM project_quotas WHERE project_id = :project_id AND quota = :quota",
            {"project_id": project_id, "quota": quota},
        )

    async def strained(self, since: datetime, limit: int) -> list[tuple[str, str, Quota]]:
        rows = await self.db.fetch(
            "SELECT p.id, p.slug, q.quota FROM project_quotas q JOIN projects p ON p.id = q.project_id "
            "WHERE q.room * 10 <= q.most * CASE WHEN q.quota = 'fires_per_minute' THEN 60 ELSE 1 END "
            "OR q.refused_at > :since ORDER BY q.refused_at DESC, p.slug LIMIT :limit",
            {"since": since, "limit": limit},
        )
        return [(row["id"], row["slug"], Quota(row["quota"])) for row in rows if row["quota"] in list(Quota)]

    async def spend_log(self, project_id: str, count: int, day: datetime) -> None:
        fresh = "counted_at IS NULL OR counted_at < :day"
        await self.db.execute(
            f"UPDATE project_quotas SET room = CASE WHEN {fresh} THEN most ELSE room END - :count, "
            f"counted_at = {self.d.now} WHERE project_id = :project_id AND quota = 'log_bytes_per_day'",
            {"project_id": project_id, "count": count, "day": day},
        )

    async def log_room(self, day: datetime, project_id: str | None = None) -> dict[str, int]:
        one = "" if project_id is None else " AND project_id = :project_id"
        rows = await self.db.fetch(
            "SELECT project_id, CASE WHEN counted_at IS NULL OR counted_at < :day THEN most ELSE room END AS room "
            f"FROM project_quotas WHERE quota = 'log_bytes_per_day'{one}",
            {"day": day, "project_id": project_id},
        )
        return {row["project_id"]: int(row["room"]) for row in rows}
