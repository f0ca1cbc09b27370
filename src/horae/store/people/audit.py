"""`audit_log`: the audit trail, written in the transaction of each change. Rows are added and read; nothing changes
them, and only retention, if set, deletes the oldest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from horae.domain.jobs.difference import Change
from horae.domain.pages import Page
from horae.domain.people.audit import AuditFilter, AuditRecord, Deed, Origin, written
from horae.domain.runs.events import Audited
from horae.ports import Ids
from horae.store.aftermath import Aftermath
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.dialects.months import SKEW, smallest_id
from horae.store.rows import Telling, dump, load_list, words

_COLUMNS = words("id project_id at actor action subject_kind subject_id subject_name changes address request_id")


class AuditTable(Telling):
    def __init__(self, db: Connection, dialect: Dialect, after: Aftermath, ids: Ids, origin: Origin) -> None:
        super().__init__(db, dialect, after)
        self._ids, self._origin = ids, origin

    async def add(
        self,
        action: str,
        *,
        actor: str,
        project_id: str | None,
        id: str | None = None,
        name: str | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        await self.db.execute(
            f"INSERT INTO audit_log ({', '.join(_COLUMNS)}) VALUES (:id, :project_id, {self.d.now}, :actor, :action, "
            ":subject_kind, :subject_id, :subject_name, :changes, :address, :request_id)",
            {
                "id": self._ids.new(),
                "project_id": project_id,
                "actor": actor[:200],
                "action": action,
                "subject_kind": action.partition(".")[0],
                "subject_id": id,
                "subject_name": name,
                "changes": dump(written(changes)) if changes else None,
                "address": self._origin.address,
                "request_id": self._origin.request_id,
            },
        )
        self.after.tell(Audited([Deed(action, actor[:200], project_id, id, name)]))

    async def page(
        self, projects: Collection[str | None] | None, where: AuditFilter, *, limit: int, after: str | None
    ) -> Page[AuditRecord]:
        wheres, params = _conditions(where, after)
        rows: list[Row] = []
        for mine, values in _whose(projects):  # one after the other: each is an index scan
            asked = " AND ".join([*mine, *wheres])
            rows += await self.db.fetch(
                f"SELECT {', '.join(_COLUMNS)} FROM audit_log {f'WHERE {asked} ' if asked else ''}"
                "ORDER BY id DESC LIMIT :limit",
                {**params, **values, "limit": limit + 1},
            )
        found = sorted((_record(row) for row in rows), key=lambda one: one.id, reverse=True)
        return Page.of(found, limit, lambda one: one.id)

    async def prune(self, older_than: float, limit: int) -> int:
        return await self.delete_old("audit_log", "at", older_than, limit)


def _whose(projects: Collection[str | None] | None) -> Iterator[tuple[list[str], dict[str, Any]]]:
    if projects is None:
        yield [], {}
    for project_id in projects or ():
        if project_id is None:
            yield ["project_id IS NULL"], {}
        else:
            yield ["project_id = :project_id"], {"project_id": project_id}


def _conditions(where: AuditFilter, after: str | None) -> tuple[list[str], dict[str, Any]]:
    wheres: list[str] = []
    params: dict[str, Any] = {}
    for column, value in (("actor", where.actor), ("action", where.action), ("subject_kind", where.kind)):
        if value is not None:
            wheres.append(f"{column} = :{column}")
            params[column] = value
    if where.subject is not None:
        wheres.append("(subject_id = :subject OR subject_name = :subject)")
        params["subject"] = where.subject
    if where.since is not None:
        wheres += ["at >= :since", "id >= :since_id"]
        params |= {"since": where.since, "since_id": smallest_id(where.since - SKEW)}
    if where.until is not None:
        wheres += ["at < :until", "id < :until_id"]
        params |= {"until": where.until, "until_id": smallest_id(where.until + SKEW)}
    if after is not None:
        wheres.append("id < :after")
        params["after"] = after
    return wheres, params


def _record(row: Row) -> AuditRecord:
    values = {column: row[column] for column in _COLUMNS}
    return AuditRecord(**{**values, "changes": load_list(values["changes"])})
