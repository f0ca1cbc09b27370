"""`deliveries`: messages to channels, and the log of their outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from horae.domain.notify.channel import read_spec
from horae.domain.notify.delivery import Collected, DeliveryRecord, Due, NewDelivery, Sent
from horae.domain.notify.message import Message
from horae.domain.notify.notice import TITLE
from horae.domain.notify.routing import Told
from horae.domain.pages import Page
from horae.domain.text.checks import storable
from horae.domain.text.ids import NIL
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch, dump, load_object, read, some
from horae.store.tables import notify as notify_tables
from horae.store.watching.channels import sealed_part

_RECORD = "id, channel_id, state, kind, severity, title, notices, tries, due_at, last_error, created_at, finished_at"
_NEW = ("id", "channel_id", "project_id", "collecting", "kind", "severity", "title", "notices", "incident", "cause")

_DIGESTS = 30  # of a channel, which are searched for an incident


def due(d: Dialect) -> str:
    """Finds messages whose time has come and that no process is sending."""
    return f"SELECT d.id FROM deliveries d WHERE d.state = 'pending' AND d.due_at <= {d.now} AND {_free(d)}"


def _free(d: Dialect) -> str:
    return f"(d.lease_until IS NULL OR d.lease_until < {d.now})"


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows: Rows = batch(d, notify_tables.deliveries, *_NEW, "message", "due_at")
        self.add = (
            f"INSERT INTO deliveries ({', '.join(_NEW)}, message, due_at, state, tries, created_at) "
            f"SELECT {', '.join(f'v.{column}' for column in _NEW)}, v.message, COALESCE(v.due_at, {d.now}), 'pending', "
            f"0, {d.now} FROM {self.add_rows.sql}"
        )
        self.told = (
            "SELECT id, channel_id, incident, cause, kind, created_at FROM (SELECT id, channel_id, incident, cause, "
            "kind, created_at, ROW_NUMBER() OVER (PARTITION BY channel_id, incident, cause "
            "ORDER BY created_at DESC, id DESC) "
            f"AS n FROM deliveries WHERE {d.among('channel_id', 'channels')} AND {d.among('incident', 'keys')}) "
            "AS latest WHERE n = 1 ORDER BY created_at, id"
        )
        self.collect_rows = batch(
            d, notify_tables.deliveries, "id", "message", "severity", "title", "notices", "due_at"
        )
        self.collect = d.update_from(
            "deliveries",
            self.collect_rows,
            {
                **{column: f"v.{column}" for column in ("message", "severity", "title", "due_at")},
                "notices": "deliveries.notices + v.notices",
            },
            "deliveries.id = v.id",
        )
        self.repeat_rows = batch(d, notify_tables.deliveries, "id", "notices")
        self.repeat = d.update_from(
            "deliveries", self.repeat_rows, {"notices": "deliveries.notices + v.notices"}, "deliveries.id = v.id"
        )
        free = _free(d)
        # The next of each channel; not before an earlier one about the same incident is done.
        earlier = (
            "SELECT 1 FROM deliveries e WHERE e.channel_id = d.channel_id AND e.incident = d.incident "
            "AND e.state = 'pending' AND (e.created_at < d.created_at OR e.created_at = d.created_at AND e.id < d.id)"
        )
        heads = (
            "SELECT d.id, d.project_id, d.due_at, ROW_NUMBER() OVER (PARTITION BY d.channel_id ORDER BY d.due_at, "
            f"d.id) AS n FROM deliveries d WHERE d.state = 'pending' AND d.due_at <= {d.now} AND {free} "
            f"AND NOT EXISTS ({earlier}) AND EXISTS (SELECT 1 FROM channels c WHERE c.id = d.channel_id)%s"
        )
        # Projects take turns: one with many channels and a backlog delays no other.
        self.candidates = (
            "SELECT id FROM (SELECT id, due_at, ROW_NUMBER() OVER (PARTITION BY project_id ORDER BY due_at, id) "
            f"AS turn FROM ({heads}) AS due WHERE n = 1) AS turns ORDER BY turn, due_at LIMIT :limit"
        )
        self.lock = (
            f"SELECT d.id FROM deliveries d WHERE {d.among('d.id', 'ids')} AND d.state = 'pending' AND {free} "
            f"{d.lock_skip}"
        )
        self.lease = (
            f"UPDATE deliveries SET token = :token, lease_until = {d.later(':lease')}, tries = tries + 1, "
            f"collecting = FALSE WHERE {d.among('id', 'ids')}"
        )
        self.due = (
            "SELECT d.id, d.tries, d.created_at, d.message, d.channel_id, d.project_id, c.name AS channel, c.spec, "
            "c.sealed, c.key_id, p.slug FROM deliveries d JOIN channels c ON c.id = d.channel_id "
            f"LEFT JOIN projects p ON p.id = d.project_id WHERE {d.among('d.id', 'ids')} ORDER BY d.due_at"
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class DeliveryTable(Group):
    async def add(self, deliveries: Sequence[NewDelivery]) -> None:
        sql = _sql(self.d)
        await self.put(sql.add, sql.add_rows, [_values(one) for one in deliveries])

    async def told(self, channel_ids: Collection[str], keys: Collection[str]) -> dict[tuple[str, str], list[Told]]:
        found: dict[tuple[str, str], list[Told]] = defaultdict(list)
        if channel_ids and keys:
            rows = await self.db.fetch(_sql(self.d).told, {"channels": some(channel_ids), "keys": some(keys)})
            for row in rows:
                told = Told(row["id"], row["kind"], row["cause"], row["created_at"])
                found[row["channel_id"], row["incident"]].append(told)
        return found

    async def digested(self, channel_id: str) -> dict[str, list[Told]]:
        # Digests belong to no incident: a short range of the index.
        rows = await self.db.fetch(
            "SELECT id, message, created_at FROM deliveries WHERE channel_id = :channel_id AND incident IS NULL "
            "AND kind = 'digest' AND collecting = FALSE AND state <> 'failed' ORDER BY id DESC LIMIT :limit",
            {"channel_id": channel_id, "limit": _DIGESTS},
        )
        found: dict[str, list[Told]] = defaultdict(list)
        for row in sorted(rows, key=lambda one: one["created_at"]):
            message = _message(row["message"])
            for line in message.lines if message else ():
                found[line.key].append(Told(row["id"], line.kind, None, row["created_at"]))
        return found

    async def pending(self, channel_ids: Collection[str]) -> dict[str, int]:
        if not channel_ids:
            return {}
        rows = await self.db.fetch(
            "SELECT channel_id, COUNT(*) AS n FROM deliveries WHERE state = 'pending' "
            f"AND {self.d.among('channel_id', 'ids')} GROUP BY channel_id",
            {"ids": some(channel_ids)},
        )
        return {row["channel_id"]: int(row["n"]) for row in rows}

    async def collecting(self, channel_ids: Collection[str]) -> list[Collected]:
        if not channel_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT id, channel_id, message, due_at FROM deliveries WHERE state = 'pending' AND collecting = TRUE "
            f"AND {self.d.among('channel_id', 'ids')} ORDER BY id {self.d.lock}",
            {"ids": some(channel_ids)},
        )
        found = []
        for row in rows:
            message = _message(row["message"])
            if message is not None:
                found.append(Collected(row["id"], row["channel_id"], message, row["due_at"]))
        return found

    async def collect(self, digests: Sequence[tuple[str, Message, int, datetime]]) -> None:
        sql = _sql(self.d)
        values = [
            (id, dump(message.to_json()), message.severity, message.title[:TITLE], added, due_at)
            for id, message, added, due_at in sorted(digests, key=lambda one: one[0])
        ]
        await self.put(sql.collect, sql.collect_rows, values)

    async def repeat(self, repeats: Mapping[str, int]) -> None:
        sql = _sql(self.d)
        await self.put(sql.repeat, sql.repeat_rows, sorted(repeats.items()))

    async def idle_for(self) -> float | None:
        soonest = "MIN(CASE WHEN lease_until > due_at THEN lease_until ELSE due_at END)"
        (row,) = await self.db.fetch(
            f"SELECT {self.d.time(soonest, 'soonest')}, {self.d.time(self.d.now, 'now')}, "
            "EXISTS (SELECT 1 FROM notices) AS notices FROM deliveries WHERE state = 'pending'"
        )
        if row["notices"]:
            return 0.0
        if row["soonest"] is None:
            return None
        return max((_utc(row["soonest"]) - _utc(row["now"])).total_seconds(), 0.0)

    async def oldest(self) -> float:
        routed = f"SELECT due_at AS at FROM deliveries WHERE state = 'pending' AND tries = 0 AND due_at < {self.d.now}"
        tried = "SELECT created_at AS at FROM deliveries WHERE state = 'pending' AND tries > 0"
        notice = "SELECT n.at FROM (SELECT at FROM notices ORDER BY id LIMIT 1) n"
        waiting = f"{routed} UNION ALL {tried} UNION ALL {notice}"
        (row,) = await self.db.fetch(f"SELECT {self.d.millis('MIN(w.at)', self.d.now)} AS ms FROM ({waiting}) w")
        return max(float(row["ms"] or 0) / 1_000, 0.0)

    async def claim(self, token: str, lease: float, limit: int, without: Collection[str]) -> list[Due]:
        sql = _sql(self.d)
        others = f" AND NOT {self.d.among('d.channel_id', 'busy')}" if without else ""
        params: dict[str, Any] = {"limit": limit, **({"busy": some(without)} if without else {})}
        ids = [row["id"] for row in await self.db.fetch(sql.candidates % others, params)]
        if ids:
            ids = [row["id"] for row in await self.db.fetch(sql.lock, {"ids": ids})]
        if not ids:
            return []
        await self.db.execute(sql.lease, {"ids": ids, "token": token, "lease": lease})
        return [_due(row, token) for row in await self.db.fetch(sql.due, {"ids": ids})]

    async def settle(self, due: Due, sent: Sent, pause: float | None) -> bool:
        state = "sent" if sent.error is None else "failed" if pause is None else "pending"
        over, error = state != "pending", storable(sent.error)  # a server's answer may contain anything
        matched = await self.db.execute(
            "UPDATE deliveries SET state = :state, last_error = :error, token = NULL, lease_until = NULL, "
            f"finished_at = {self.d.now if over else 'NULL'}, due_at = {'due_at' if over else self.d.later(':pause')} "
            "WHERE id = :id AND token = :token",
            {"state": state, "error": error, "id": due.id, "token": due.token, "pause": pause or 0.0},
        )
        if matched:
            await self.db.execute(
                f"UPDATE channels SET last_state = :state, last_at = {self.d.now}, last_error = :error WHERE id = :id",
                {"state": "retrying" if state == "pending" else state, "error": error, "id": due.channel_id},
            )
        return matched > 0

    async def give_up(self, channel_id: str, reason: str) -> None:
        await self.db.execute(
            "UPDATE deliveries SET state = 'failed', last_error = :reason, token = NULL, lease_until = NULL, "
            f"collecting = FALSE, finished_at = {self.d.now} WHERE channel_id = :channel_id AND state = 'pending'",
            {"channel_id": channel_id, "reason": reason},
        )

    async def find(self, delivery_id: str) -> DeliveryRecord | None:
        rows = await self.db.fetch(f"SELECT {_RECORD} FROM deliveries WHERE id = :id", {"id": delivery_id})
        return read(DeliveryRecord, rows[0]) if rows else None

    async def page(self, channel_id: str, *, limit: int, after: str | None) -> Page[DeliveryRecord]:
        more = "" if after is None else " AND id < :after"
        rows = await self.db.fetch(
            f"SELECT {_RECORD} FROM deliveries WHERE channel_id = :channel_id{more} ORDER BY id DESC LIMIT :limit",
            {"channel_id": channel_id, "after": after, "limit": limit + 1},
        )
        return Page.of([read(DeliveryRecord, row) for row in rows], limit, lambda one: one.id)

    async def prune(self, older_than: float, limit: int) -> int:
        return await self.delete_old("deliveries", "COALESCE(finished_at, created_at)", older_than, limit)


def _values(new: NewDelivery) -> tuple[Any, ...]:
    message = new.message
    return (
        new.id,
        new.channel_id,
        new.project_id,
        new.collecting,
        new.kind,
        message.severity,
        message.title[:TITLE],
        new.notices,
        new.key,
        new.cause,
        dump(message.to_json()),
        new.due_at,
    )


def _due(row: Row, token: str) -> Due:
    spec, fault = read_spec(load_object(row["spec"]))
    message = _message(row["message"])
    if message is None:
        fault = "the message in its row is damaged"
    return Due(
        id=row["id"],
        token=token,
        tries=row["tries"],
        created_at=row["created_at"],
        channel_id=row["channel_id"],
        channel=row["channel"],
        project_id=row["project_id"],
        project=None if row["project_id"] == NIL else row["slug"],
        message=message,
        spec=spec,
        fault=fault,
        sealed=sealed_part(row),
    )


def _message(text: str | None) -> Message | None:
    try:
        return Message.from_json(load_object(text))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _utc(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)
