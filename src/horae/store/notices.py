"""`notices`: the outbox. Rows are written with what happened, for projects that have a channel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from horae.domain.notify.notice import TEXT, TITLE, NewNotice, Recovery
from horae.domain.text.ids import NIL
from horae.store import notify_tables
from horae.store.dialects.base import Dialect, Rows, listed
from horae.store.rows import Group, batch, stored

_COLUMNS = (
    *("id", "project_id", "kind", "severity", "subject_kind", "subject_id", "subject_name", "title", "body", "path"),
    *("incident", "cause", "tags", "data", "at"),
)
_PLACE = 500  # characters of a path


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
        failed = (
            "SELECT 1 FROM job_stats s WHERE s.job_id = v.job_id AND s.last_status = 'failed' AND s.last_run_at <= v.at"
        )
        self.recovered = _insert(values, self.recovery_rows, f"(v.certain = TRUE OR EXISTS ({failed})) AND {wanted}")


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


def _values(notice: NewNotice) -> tuple[Any, ...]:
    return (
        notice.id,
        notice.project_id,
        notice.kind,
        notice.severity,
        notice.subject_kind,
        notice.subject_id,
        notice.subject_name,
        notice.title[:TITLE],
        None if notice.text is None else notice.text[:TEXT],
        None if notice.path is None else notice.path[:_PLACE],
        notice.key,
        notice.cause,
        stored(notify_tables.notices, "tags", list(notice.tags)),
        stored(notify_tables.notices, "data", dict(notice.data)),
        notice.at,
    )
