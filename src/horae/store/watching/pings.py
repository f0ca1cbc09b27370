"""`pings`: monitors of jobs that Horae does not run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from horae.domain.pages import Page
from horae.domain.pings.ping import NewPing, PingFilter, PingRecord, PingStanding, PingState, Start
from horae.domain.pings.rules import deadline
from horae.domain.pings.spec import PingSpec, read_stored, stored_text
from horae.domain.pings.token import UrlToken, place, row_of
from horae.domain.secrets.secret import Sealed
from horae.domain.time.instants import parse_instant
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.jobs.job_list import escaped
from horae.store.rows import Group, batch, dump, keys_of, load_list, words
from horae.store.tables import pings as tables

_STANDING = words(
    "status reason since paused paused_until expected_at check_at starts last_ping_at last_success_at last_failure_at "
    "last_duration_ms last_exit_code"
)
_RECORD = words(
    "id project_id name version spec sealed key_id events created_by created_at updated_by updated_at"
) + tuple(name for name in _STANDING if name != "check_at")
_SELECT = f"SELECT {', '.join(_RECORD)} FROM pings"
_TAGGED = 500  # rows read at a time when filtering by tag


@cache
def _stand(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, tables.pings, "id", *_STANDING, "events")
    changed = {name: f"v.{name}" for name in (*_STANDING, "events")}
    return d.update_from("pings", rows, changed, "pings.id = v.id"), rows


class PingTable(Group):
    async def add(self, ping: NewPing, standing: PingStanding) -> None:
        """Raises DuplicateKey if the project has one of this name."""
        values = {
            "id": ping.id,
            "project_id": ping.project_id,
            "name": ping.spec.name,
            "version": 1,
            "spec": stored_text(ping.spec),
            "digest": ping.token.digest,
            "sealed": ping.token.sealed.text,
            "key_id": ping.token.sealed.key_id,
            "events": 0,
            "created_by": ping.created_by,
            "updated_by": ping.created_by,
            **_stored(ping.spec, standing),
        }
        await self.db.execute(
            f"INSERT INTO pings ({', '.join(values)}, created_at, updated_at) "
            f"VALUES ({', '.join(f':{name}' for name in values)}, {self.d.now}, {self.d.now})",
            values,
        )

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> PingRecord | None:
        """By id or by name."""
        for column in keys_of(ref):
            rows = await self.db.fetch(
                f"{_SELECT} WHERE project_id = :project_id AND {column} = :ref {self.d.lock if lock else ''}",
                {"project_id": project_id, "ref": ref},
            )
            if rows:
                return _record(rows[0])
        return None

    async def by_digest(self, digest: str, *, lock: bool = False) -> PingRecord | None:
        rows = await self.db.fetch(
            f"{_SELECT} WHERE digest = :digest {self.d.lock if lock else ''}", {"digest": digest}
        )
        return _record(rows[0]) if rows else None

    async def due(self, limit: int) -> list[PingRecord]:
        """Those whose deadline has passed, locked; without those that another transaction has locked."""
        rows = await self.db.fetch(
            f"{_SELECT} WHERE check_at <= {self.d.now} ORDER BY check_at LIMIT :limit {self.d.lock_skip}",
            {"limit": limit},
        )
        return [_record(row) for row in rows]

    async def next_due(self) -> float | None:
        """Seconds until the next deadline; negative if it has passed."""
        first = "SELECT check_at FROM pings WHERE check_at IS NOT NULL ORDER BY check_at LIMIT 1"
        rows = await self.db.fetch(f"SELECT {self.d.millis(self.d.now, 'p.check_at')} AS ms FROM ({first}) p")
        return float(rows[0]["ms"]) / 1_000 if rows else None

    async def stand(self, changed: Sequence[tuple[PingRecord, PingStanding, int]]) -> None:
        """Stores their state and number of events."""
        sql, rows = _stand(self.d)
        values = []
        for ping, standing, events in changed:
            stored = _stored(ping.spec, standing)
            values.append((ping.id, *(stored[name] for name in _STANDING), events))
        await self.put(sql, rows, values)

    async def edit(self, ping: PingRecord, spec: PingSpec, standing: PingStanding, actor: str) -> None:
        """Raises DuplicateKey if the project has another one of this name."""
        values = {"name": spec.name, "spec": stored_text(spec), "updated_by": actor, **_stored(spec, standing)}
        sets = ", ".join(f"{name} = :{name}" for name in values)
        await self.db.execute(
            f"UPDATE pings SET {sets}, version = version + 1, updated_at = {self.d.now} WHERE id = :id",
            {**values, "id": ping.id},
        )

    async def set_token(self, ping_id: str, token: UrlToken, actor: str) -> None:
        await self.db.execute(
            "UPDATE pings SET digest = :digest, sealed = :sealed, key_id = :key_id, version = version + 1, "
            f"updated_by = :actor, updated_at = {self.d.now} WHERE id = :id",
            {
                "digest": token.digest,
                "sealed": token.sealed.text,
                "key_id": token.sealed.key_id,
                "actor": actor,
                "id": ping_id,
            },
        )

    async def delete(self, ping_id: str) -> None:
        await self.db.execute("DELETE FROM pings WHERE id = :id", {"id": ping_id})

    async def page(self, project_id: str, where: PingFilter, *, limit: int, after: str | None) -> Page[PingRecord]:
        """By name. Tags are matched in the definitions: more rows are read than shown."""
        found: list[PingRecord] = []
        portion = limit + 1 if where.tag is None else _TAGGED
        while len(found) <= limit:
            rows = await self._rows(project_id, where, portion, after)
            found += [one for one in map(_record, rows) if where.tag is None or where.tag in one.spec.tags]
            if len(rows) < portion:
                break
            after = rows[-1]["name"]
        return Page.of(found[: limit + 1], limit, lambda one: one.spec.name)

    async def _rows(self, project_id: str, where: PingFilter, limit: int, after: str | None) -> Sequence[Row]:
        tests, params = ["project_id = :project_id"], {"project_id": project_id, "limit": limit}
        if after is not None:
            tests.append("name > :after")
            params["after"] = after
        if where.text is not None:
            tests.append("LOWER(name) LIKE :text ESCAPE '!'")
            params["text"] = f"%{escaped(where.text.lower())}%"
        if where.tag is not None:
            tests.append(self.d.holds("spec", "tag"))
            params["tag"] = dump(where.tag)
        if where.state is None:
            return await self._fetch(tests, params)
        if where.state is not PingState.DOWN:
            return await self._fetch([*tests, _of_state(self.d, where.state)], params)
        # Known to be down, and not noticed by the scheduler yet: each with its own index.
        known, unnoticed = _down(self.d)
        rows = [*await self._fetch([*tests, known], params), *await self._fetch([*tests, unnoticed], params)]
        return sorted(rows, key=lambda row: str(row["name"]))[:limit]

    async def _fetch(self, tests: Sequence[str], params: dict[str, Any]) -> Sequence[Row]:
        return await self.db.fetch(f"{_SELECT} WHERE {' AND '.join(tests)} ORDER BY name LIMIT :limit", params)

    async def states(self, project_id: str) -> dict[PingState, int]:
        """How many pings are in each state."""
        cases = " ".join(f"WHEN {_of_state(self.d, state)} THEN '{state}'" for state in PingState)
        rows = await self.db.fetch(
            f"SELECT state, COUNT(*) AS count FROM (SELECT CASE {cases} END AS state FROM pings "
            "WHERE project_id = :project_id) p WHERE state IS NOT NULL GROUP BY state",
            {"project_id": project_id},
        )
        return dict.fromkeys(PingState, 0) | {PingState(row["state"]): row["count"] for row in rows}

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[Sealed]:
        """Tokens encrypted with another key, by id."""
        more = "" if after is None else "AND id > :after "
        rows = await self.db.fetch(
            f"SELECT id, project_id, sealed, key_id FROM pings WHERE key_id <> :key_id {more}ORDER BY id LIMIT :limit",
            {"key_id": key_id, "after": after, "limit": limit},
        )
        return [_sealed(row) for row in rows]

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        matched = await self.db.execute(
            "UPDATE pings SET sealed = :new, key_id = :key_id WHERE id = :id AND sealed = :old",
            {"new": new.text, "key_id": new.key_id, "id": row_of(old), "old": old.text},
        )
        return matched > 0


_PASSED = "check_at IS NOT NULL AND check_at <= {}"


def _on(d: Dialect) -> str:
    return f"NOT (paused AND (paused_until IS NULL OR paused_until > {d.now}))"


def _down(d: Dialect) -> tuple[str, str]:
    return f"({_on(d)} AND status = 'down')", f"(NOT paused AND status <> 'down' AND {_PASSED.format(d.now)})"


def _of_state(d: Dialect, state: PingState) -> str:
    """As `state_of` in domain/pings/rules.py decides."""
    on = _on(d)
    if state is PingState.PAUSED:
        return f"NOT ({on})"
    down = f"(status = 'down' OR (NOT paused AND {_PASSED.format(d.now)}))"
    if state is PingState.DOWN:
        return "({} OR {})".format(*_down(d))
    if state is PingState.STARTED:
        return f"({on} AND NOT {down} AND starts IS NOT NULL)"
    quiet = f"{on} AND NOT {down} AND starts IS NULL"
    if state is PingState.NEW:
        return f"({quiet} AND status = 'new')"
    late = f"(NOT paused AND expected_at IS NOT NULL AND expected_at <= {d.now})"
    return f"({quiet} AND status = 'up' AND {'' if state is PingState.LATE else 'NOT '}{late})"


def _stored(spec: PingSpec, standing: PingStanding) -> dict[str, Any]:
    starts = [[start.at.isoformat(), start.rid] for start in standing.starts]
    return {
        **{name: getattr(standing, name) for name in _STANDING if name not in ("check_at", "starts")},
        "check_at": deadline(spec, standing),
        "starts": dump(starts) if starts else None,
    }


def _record(row: Row) -> PingRecord:
    standing = {name: row[name] for name in _STANDING if name != "check_at"}
    standing |= {"paused": bool(row["paused"]), "starts": _starts(row["starts"])}
    return PingRecord(
        id=row["id"],
        project_id=row["project_id"],
        version=row["version"],
        spec=read_stored(row["name"], row["spec"]),
        standing=PingStanding(**standing),
        events=row["events"],
        sealed=_sealed(row),
        created_by=row["created_by"],
        created_at=row["created_at"],
        updated_by=row["updated_by"],
        updated_at=row["updated_at"],
    )


def _starts(text: str | None) -> tuple[Start, ...]:
    found = []
    for entry in load_list(text):
        match entry:
            case [str(at), str() | None as rid]:
                try:
                    found.append(Start(parse_instant(at), rid))
                except ValueError:
                    continue
    return tuple(found)


def _sealed(row: Row) -> Sealed:
    return Sealed(row["project_id"], place("ping", row["id"]), row["sealed"], row["key_id"])
