"""`alerts`: open and past alerts. A unique key on the identity of open ones lets each open once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from horae.domain.alerts.alert import (
    LONGEST_TITLE,
    LONGEST_WHY,
    SEVERITIES,
    AlertAction,
    AlertCounts,
    AlertFilter,
    AlertRecord,
    Finding,
)
from horae.domain.alerts.spec import NO_PROJECT_RULES, ProjectAlertSpec, project_rules
from horae.domain.alerts.transition import Before, StandingAlert, flaps_of, silence_of
from horae.domain.pages import Page
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch, dump, load_list, load_object, read, some, words
from horae.store.tables import alerts as alert_tables

_RECORD = words(
    "id project_id rule severity subject_kind subject_id subject_name state title why action tags since last_seen_at "
    "cleared_at acknowledged_by acknowledged_at silenced_until silenced_by note notified_at"
)
_SELECT = f"SELECT {', '.join(f'a.{column}' for column in _RECORD)}, p.slug AS project FROM alerts a "
_PROJECT = "LEFT JOIN projects p ON p.id = a.project_id"
_STANDING = words("id project_id identity last_seen_at quiet_since flaps silenced_until notified_at")
_RANK = " ".join(f"WHEN '{severity}' THEN {rank}" for rank, severity in enumerate(SEVERITIES))
_OPENED = words(
    "id project_id rule severity subject_kind subject_id subject_name identity open_key title why action tags since "
    "flaps silenced_until"
)


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.open_rows: Rows = batch(d, alert_tables.alerts, *_OPENED)
        fixed = {"state": "'open'", "last_seen_at": d.now}
        self.open = d.ignore_duplicates(d.insert_from("alerts", self.open_rows, fixed))
        self.see_rows = batch(d, alert_tables.alerts, "id", "severity", "title", "why", "action")
        changed = {name: f"v.{name}" for name in ("severity", "title", "action")}
        changed["why"] = "COALESCE(v.why, alerts.why)"
        self.see = d.update_from(
            "alerts",
            self.see_rows,
            {**changed, "last_seen_at": d.now, "quiet_since": "NULL"},
            "alerts.id = v.id AND alerts.state = 'open'",
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class AlertTable(Group):
    async def standing(self, rules: Collection[str]) -> list[StandingAlert]:
        rows = await self.db.fetch(
            f"SELECT {', '.join(_STANDING)} FROM alerts WHERE state = 'open' AND {self.d.among('rule', 'rules')}",
            {"rules": some(rules)},
        )
        return [read(StandingAlert, row) for row in rows]

    async def before(self, identities: Collection[str]) -> dict[str, Before]:
        if not identities:
            return {}
        rows = await self.db.fetch(
            "SELECT identity, cleared_at, flaps, silenced_until FROM (SELECT identity, cleared_at, flaps, "
            "silenced_until, ROW_NUMBER() OVER (PARTITION BY identity ORDER BY cleared_at DESC, id DESC) AS n "
            f"FROM alerts WHERE {self.d.among('identity', 'identities')} AND cleared_at IS NOT NULL) AS latest "
            "WHERE n = 1",
            {"identities": some(identities)},
        )
        return {row["identity"]: read(Before, row) for row in rows}

    async def keep_newest(self, identity: str, count: int) -> None:
        rows = await self.db.fetch(
            "SELECT cleared_at FROM alerts WHERE identity = :identity AND cleared_at IS NOT NULL "
            "ORDER BY cleared_at DESC LIMIT 1 OFFSET :count",
            {"identity": identity, "count": count},
        )
        if rows:
            await self.db.execute(
                "DELETE FROM alerts WHERE identity = :identity AND cleared_at <= :at",
                {"identity": identity, "at": rows[0]["cleared_at"]},
            )

    async def open_ids(self, identities: Collection[str]) -> list[str]:
        if not identities:
            return []
        rows = await self.db.fetch(
            f"SELECT id FROM alerts WHERE {self.d.among('open_key', 'identities')} ORDER BY id",
            {"identities": some(identities)},
        )
        return [row["id"] for row in rows]

    async def add(self, new: Sequence[tuple[str, Finding]], before: dict[str, Before], now: datetime) -> set[str]:
        sql = _sql(self.d)
        await self.put(sql.open, sql.open_rows, [_opened(one, before, now) for one in new])
        rows = await self.db.fetch(
            f"SELECT id FROM alerts WHERE {self.d.among('id', 'ids')}", {"ids": [alert_id for alert_id, _ in new]}
        )
        return {row["id"] for row in rows}

    async def see(self, seen: Sequence[tuple[str, Finding]]) -> None:
        sql = _sql(self.d)
        values = [
            (alert_id, one.severity, one.title[:LONGEST_TITLE], _why(one), _action_text(one.action))
            for alert_id, one in sorted(seen, key=lambda pair: pair[0])
        ]
        await self.put(sql.see, sql.see_rows, values)

    async def quieten(self, ids: Collection[str]) -> None:
        await self._change(ids, f"quiet_since = {self.d.now}", "quiet_since IS NULL")

    async def clear(self, ids: Collection[str]) -> None:
        cleared = f"state = 'cleared', open_key = NULL, cleared_at = {self.d.now}"
        await self._change(ids, cleared, "state = 'open'")

    async def notified(self, ids: Collection[str]) -> None:
        await self._change(ids, f"notified_at = {self.d.now}", "notified_at IS NULL")

    async def _change(self, ids: Collection[str], sets: str, where: str) -> None:
        if ids:
            await self.db.execute(
                f"UPDATE alerts SET {sets} WHERE {self.d.among('id', 'ids')} AND {where}", {"ids": sorted(ids)}
            )

    async def lock_open(self, ids: Collection[str]) -> list[AlertRecord]:
        if not ids:
            return []
        mine = f"{self.d.among('a.id', 'ids')} AND a.state = 'open'"
        await self.db.fetch(f"SELECT a.id FROM alerts a WHERE {mine} ORDER BY a.id {self.d.lock}", {"ids": sorted(ids)})
        rows = await self.db.fetch(f"{_SELECT}{_PROJECT} WHERE {mine} ORDER BY a.id", {"ids": sorted(ids)})
        return [_record(row) for row in rows]

    async def find(self, alert_id: str, *, lock: bool = False) -> AlertRecord | None:
        if lock:  # separate: a joined row would be locked too
            await self.db.fetch(f"SELECT id FROM alerts WHERE id = :id {self.d.lock}", {"id": alert_id})
        rows = await self.db.fetch(f"{_SELECT}{_PROJECT} WHERE a.id = :id", {"id": alert_id})
        return _record(rows[0]) if rows else None

    async def page(
        self, projects: Collection[str | None] | None, where: AlertFilter, *, limit: int, after: str | None
    ) -> Page[AlertRecord]:
        wheres, params = _conditions(where, after)
        rows: list[Row] = []
        for mine, values in _whose(projects):  # one after the other: each is an index scan
            asked = " AND ".join([*mine, *wheres])
            rows += await self.db.fetch(
                f"{_SELECT}{_PROJECT} {f'WHERE {asked} ' if asked else ''}ORDER BY a.id DESC LIMIT :limit",
                {**params, **values, "limit": limit + 1},
            )
        found = sorted(map(_record, rows), key=lambda one: one.id, reverse=True)
        return Page.of(found, limit, lambda one: one.id)

    async def worst(self, projects: Collection[str | None] | None, limit: int) -> list[AlertRecord]:
        rows: list[Row] = []
        audible = f"a.state = 'open' AND (a.silenced_until IS NULL OR a.silenced_until <= {self.d.now})"
        for mine, values in _whose(projects):
            asked = " AND ".join([*mine, audible])
            worst = (  # ids alone: whole rows would be sorted as well
                f"SELECT a.id FROM alerts a WHERE {asked} ORDER BY CASE WHEN a.acknowledged_at IS NULL THEN 0 ELSE 1 "
                f"END, CASE a.severity {_RANK} ELSE 9 END, a.id DESC LIMIT :limit"
            )
            rows += await self.db.fetch(
                f"{_SELECT}JOIN ({worst}) AS w ON w.id = a.id {_PROJECT}", {**values, "limit": limit}
            )
        found = sorted(map(_record, rows), key=lambda one: one.id, reverse=True)
        return sorted(found, key=_urgency)[:limit]

    async def counts(self, projects: Collection[str | None] | None) -> AlertCounts:
        by_severity: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
        acknowledged = silenced = 0
        silent = f"CASE WHEN a.silenced_until > {self.d.now} THEN 1 ELSE 0 END"
        for mine, values in _whose(projects):
            rows = await self.db.fetch(
                "SELECT a.severity, COUNT(*) AS n, COUNT(a.acknowledged_at) AS acknowledged, "
                f"SUM({silent}) AS silenced FROM alerts a WHERE {' AND '.join([*mine, _OPEN])} GROUP BY a.severity",
                values,
            )
            for row in rows:
                by_severity[_known(row["severity"])] += int(row["n"])
                acknowledged += int(row["acknowledged"])
                silenced += int(row["silenced"])
        return AlertCounts(by_severity, acknowledged, silenced)

    async def acknowledge(self, alert_id: str, actor: str, note: str | None) -> None:
        await self.db.execute(
            "UPDATE alerts SET acknowledged_by = :actor, note = COALESCE(:note, note), "
            f"acknowledged_at = COALESCE(acknowledged_at, {self.d.now}) WHERE id = :id",
            {"id": alert_id, "actor": actor[:200], "note": note},
        )

    async def silence(self, alert_id: str, until: datetime | None, actor: str, note: str | None) -> None:
        await self.db.execute(
            "UPDATE alerts SET silenced_until = :until, silenced_by = :actor, note = COALESCE(:note, note) "
            "WHERE id = :id",
            {"id": alert_id, "until": until, "actor": None if until is None else actor[:200], "note": note},
        )

    async def settings(self, project_id: str) -> ProjectAlertSpec:
        rows = await self.db.fetch(
            "SELECT settings FROM alert_settings WHERE subject_id = :id AND subject_kind = 'project'",
            {"id": project_id},
        )
        return project_rules(rows[0]["settings"]) if rows else NO_PROJECT_RULES

    async def set_settings(self, project_id: str, settings: ProjectAlertSpec) -> None:
        """A project that sets nothing has no row."""
        await self.db.execute("DELETE FROM alert_settings WHERE subject_id = :id", {"id": project_id})
        given = settings.model_dump(mode="json", exclude_none=True)
        if given:
            await self.db.execute(
                "INSERT INTO alert_settings (subject_id, project_id, subject_kind, settings) "
                "VALUES (:id, :id, 'project', :settings)",
                {"id": project_id, "settings": dump(given)},
            )

    async def prune(self, older_than: float, limit: int) -> int:
        """Those that cleared so long ago; open ones stay."""
        return await self.delete_old("alerts", "cleared_at", older_than, limit, "state = 'cleared'")


_OPEN = "a.state = 'open'"


def _opened(one: tuple[str, Finding], before: dict[str, Before], now: datetime) -> tuple[Any, ...]:
    alert_id, finding = one
    subject, last = finding.subject, before.get(finding.identity)
    return (
        *(alert_id, finding.project_id, finding.rule, finding.severity),
        *(subject.kind, subject.id[:200], subject.name[:200], finding.identity, finding.identity),
        *(finding.title[:LONGEST_TITLE], finding.why[:LONGEST_WHY], _action_text(finding.action)),
        dump(list(finding.tags)) if finding.tags else None,
        *(finding.since, flaps_of(last, now), silence_of(last, now)),
    )


def _why(finding: Finding) -> str | None:
    """None if it was not explained this time: the previous text stays."""
    return None if finding.explains else finding.why[:LONGEST_WHY]


def _action_text(action: AlertAction) -> str:
    return dump({"text": action.text, "path": action.path})


def _whose(projects: Collection[str | None] | None) -> Iterator[tuple[list[str], dict[str, Any]]]:
    if projects is None:
        yield [], {}
    for project_id in projects or ():
        if project_id is None:
            yield ["a.project_id IS NULL"], {}
        else:
            yield ["a.project_id = :project_id"], {"project_id": project_id}


def _conditions(where: AlertFilter, after: str | None) -> tuple[list[str], dict[str, Any]]:
    wheres, params = [], {}
    for column, value in (
        ("state", where.state),
        ("severity", where.severity),
        ("rule", where.rule),
        ("subject_id", where.subject),
    ):
        if value is not None:
            wheres.append(f"a.{column} = :{column}")
            params[column] = value
    if after is not None:
        wheres.append("a.id < :after")
        params["after"] = after
    return wheres, params


def _known(severity: str) -> str:
    """An unknown severity of a newer version counts as a warning."""
    return severity if severity in SEVERITIES else "warning"


def _urgency(alert: AlertRecord) -> tuple[bool, int, bool]:
    """Unacknowledged alerts first, then by severity, then those of the whole installation."""
    return alert.acknowledged_at is not None, _rank(alert.severity), alert.project_id is not None


def _rank(severity: str) -> int:
    return SEVERITIES.index(_known(severity))


def _record(row: Row) -> AlertRecord:
    action = load_object(row["action"])
    texts = {name: value if isinstance(value := action.get(name), str) else "" for name in ("text", "path")}
    tags = tuple(tag for tag in load_list(row["tags"]) if isinstance(tag, str))
    return read(AlertRecord, row, action=AlertAction(**texts), severity=_known(row["severity"]), tags=tags)
