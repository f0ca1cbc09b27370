"""`notices`: the outbox. Rows are written with their event, for projects that have a channel, and deleted when they are
routed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from horae.domain.notify.message import Notice
from horae.domain.notify.notice import TEXT, TITLE, NewNotice, NoticeKind, Recovery, Severity
from horae.domain.text.checks import storable
from horae.domain.text.ids import NIL
from horae.store.dialects.base import Dialect, Row, Rows, listed
from horae.store.jobs.labels import JobLabels, labels_of, texts
from horae.store.rows import Group, batch, load_list, load_object, stored
from horae.store.tables import notify as notify_tables

_COLUMNS = (
    *("id", "project_id", "kind", "severity", "subject_kind", "subject_id", "subject_name", "title", "body", "path"),
    *("incident", "cause", "tags", "data", "at"),
)
_PLACE = 500  # characters of a path
_UNKNOWN = JobLabels()


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.rows: Rows = batch(d, notify_tables.notices, *_COLUMNS)
        values = {column: f"v.{column}" for column in _COLUMNS}
        values["at"] = f"COALESCE(v.at, {d.now})"
        heard = "SELECT 1 FROM channels c WHERE c.enabled = TRUE AND c.project_id ="
        self.add = _insert(values, self.rows, f"EXISTS ({heard} COALESCE(v.project_id, :nil))")
        known = "SELECT 1 FROM dead_letters x WHERE x.project_id = v.project_id AND x.fingerprint = v.cause"
        values["kind"] = f"CASE WHEN v.kind = 'dead_letter' AND EXISTS ({known}) THEN 'failure' ELSE v.kind END"
        wanted = f"EXISTS ({heard} v.project_id AND c.wants_runs = TRUE)"
        self.failed = _insert(values, self.rows, wanted)
        values["kind"] = "v.kind"
        self.recovery_rows: Rows = batch(d, notify_tables.recovery_batch, *_COLUMNS, "job_id", "certain")
        # A run that was cancelled in between does not end a streak.
        failed = (
            "s.last_run_at <= v.at AND (s.last_status = 'failed' OR (s.last_status <> 'succeeded' AND "
            "COALESCE(s.failing_streak, 0) > 0))"
        )
        before = f"v.certain = TRUE OR EXISTS (SELECT 1 FROM job_stats s WHERE s.job_id = v.job_id AND {failed})"
        self.recovered = _insert(values, self.recovery_rows, f"({before}) AND {wanted}")


def _insert(values: dict[str, str], rows: Rows, where: str) -> str:
    return (
        f"INSERT INTO notices ({listed(list(values))}) SELECT {', '.join(values.values())} FROM {rows.sql} "
        f"WHERE {where}"
    )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class NoticeTable(Group):
    async def add(self, notices: Sequence[NewNotice]) -> None:
        sql = _sql(self.d)
        await self.put(sql.add, sql.rows, [_values(notice) for notice in notices], nil=NIL)

    async def failed(self, notices: Sequence[NewNotice]) -> None:
        sql = _sql(self.d)
        await self.put(sql.failed, sql.rows, [_values(notice) for notice in notices])

    async def recovered(self, recoveries: Sequence[Recovery]) -> None:
        sql = _sql(self.d)
        values = [(*_values(one.notice), one.notice.subject_id, one.certain) for one in recoveries]
        await self.put(sql.recovered, sql.recovery_rows, values)

    async def take(self, limit: int) -> tuple[list[Notice], list[str]]:
        rows = await self.db.fetch(
            f"SELECT {listed(_COLUMNS)} FROM notices ORDER BY id LIMIT :limit {self.d.lock_skip}", {"limit": limit}
        )
        jobs = await labels_of(self.db, self.d, {row["subject_id"] for row in rows if row["subject_kind"] == "job"})
        found = [_notice(row, jobs) for row in rows]
        return [one for one in found if one is not None], [row["id"] for row in rows]

    async def delete(self, ids: Collection[str]) -> None:
        if ids:
            await self.db.execute(f"DELETE FROM notices WHERE {self.d.among('id', 'ids')}", {"ids": list(ids)})


def _notice(row: Row, jobs: dict[str, JobLabels]) -> Notice | None:
    """None if it is damaged, or of a kind that this version does not know."""
    try:
        kind, severity = NoticeKind(row["kind"]), Severity(row["severity"])
    except ValueError:
        return None
    name, tags, channels = jobs.get(row["subject_id"], _UNKNOWN)
    return Notice(
        id=row["id"],
        project_id=row["project_id"] or NIL,
        kind=kind,
        severity=severity,
        subject_kind=row["subject_kind"],
        subject_id=row["subject_id"],
        subject_name=name or row["subject_name"],
        title=row["title"],
        text=row["body"],
        path=row["path"],
        key=row["incident"],
        cause=row["cause"],
        tags=tags or texts(load_list(row["tags"])),
        at=row["at"],
        data=load_object(row["data"]),
        channels=channels,
    )


def _values(notice: NewNotice) -> tuple[Any, ...]:
    return (
        notice.id,
        notice.project_id,
        notice.kind,
        notice.severity,
        notice.subject_kind,
        notice.subject_id,
        storable(notice.subject_name),
        storable(notice.title[:TITLE]),
        None if notice.text is None else storable(notice.text[:TEXT]),
        None if notice.path is None else notice.path[:_PLACE],
        notice.key,
        notice.cause,
        stored(notify_tables.notices, "tags", list(notice.tags)),
        stored(notify_tables.notices, "data", dict(notice.data)),
        notice.at,
    )
