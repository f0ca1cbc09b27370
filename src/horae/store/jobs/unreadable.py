"""`unreadable`: which process could not read which version of a job, for users and for other processes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from horae.domain.errors import Unreadable
from horae.domain.jobs.fault import JobFault, LeftOut, Portion, UnreadableNote
from horae.domain.jobs.stored import read_spec
from horae.domain.jobs.unreadable import missing_spec
from horae.store import tables
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch

_REASON = 500  # characters
_NOTE = "n.job_id, n.version, n.process_id, n.reason, n.found_at, n.seen_at"


@cache
def _put(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.unreadable, "job_id", "version", "process_id", "reason")
    insert = d.insert_from("unreadable", rows, {"found_at": d.now, "seen_at": d.now})
    changed = dict.fromkeys(("reason", "seen_at"), "{new}")
    return d.upsert(insert, ["job_id", "version", "process_id"], changed), rows


@cache
def _of(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.unreadable, "job_id", "version")
    on = "n.job_id = v.job_id AND n.version = v.version"
    return f"SELECT {_NOTE} FROM {rows.sql} JOIN unreadable n ON {on}", rows


class UnreadableTable(Group):
    async def note(self, process_id: str, left_out: Collection[LeftOut]) -> None:
        sql, rows = _put(self.d)
        # In one order: processes that record the same jobs do not deadlock.
        ordered = sorted(left_out, key=lambda one: (one.job_id, one.version))
        await self.put(sql, rows, [(one.job_id, one.version, process_id, one.reason[:_REASON]) for one in ordered])

    async def of(self, pairs: Collection[tuple[str, int]]) -> list[UnreadableNote]:
        if not pairs:
            return []
        sql, rows = _of(self.d)
        return [_note(row) for row in await self.db.fetch(sql, self.d.rows_params(rows, sorted(pairs)))]

    async def names(self, within: float, limit: int) -> list[str]:
        rows = await self.db.fetch(
            "SELECT j.name FROM unreadable n JOIN jobs j ON j.id = n.job_id "
            f"WHERE n.seen_at > {self.d.earlier(':within')} GROUP BY j.id, j.name ORDER BY j.name LIMIT :limit",
            {"within": within, "limit": limit},
        )
        return [row["name"] for row in rows]

    async def portion(self, after: str | None, limit: int) -> Portion:
        rows = await self.db.fetch(
            "SELECT j.id, j.name, j.version, p.slug, s.spec FROM jobs j JOIN projects p ON p.id = j.project_id "
            "LEFT JOIN job_versions s ON s.job_id = j.id AND s.version = j.version "
            f"{'' if after is None else 'WHERE j.id > :after '}ORDER BY j.id LIMIT :limit",
            {"after": after, "limit": limit},
        )
        faults = (JobFault(row["slug"], row["name"], reason) for row in rows if (reason := _fault(row)))
        return Portion(len(rows), tuple(faults), rows[-1]["id"] if len(rows) == limit else None)

    async def forget(self, job_id: str) -> None:
        await self.db.execute("DELETE FROM unreadable WHERE job_id = :job_id", {"job_id": job_id})

    async def prune(self, older_than: float) -> int:
        return await self.db.execute(
            f"DELETE FROM unreadable WHERE seen_at < {self.d.earlier(':older_than')}", {"older_than": older_than}
        )


def _fault(row: Row) -> str | None:
    if row["spec"] is None:
        return missing_spec(row["version"]).fault
    try:
        read_spec(row["spec"])
    except Unreadable as error:
        return str(error)
    return None


def _note(row: Row) -> UnreadableNote:
    columns: Sequence[str] = ("job_id", "version", "process_id", "reason", "found_at", "seen_at")
    return UnreadableNote(*(row[column] for column in columns))
