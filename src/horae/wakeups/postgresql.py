"""Hints through PostgreSQL's LISTEN and NOTIFY, over one connection per process that does both.

A task owns the connection. It sends what has accumulated since its last NOTIFY, so a burst of hints costs few of them
(each takes a server-wide lock at its commit; without waiting for the disk, that lock is short). When the connection is
lost the task reconnects; whenever listening begins, every topic is hinted once, for anything missed. Behind a pooler in
transaction mode LISTEN succeeds and nothing ever arrives: each time, a hint from a second connection must come through
before this one counts as `reliable`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import asyncpg

from horae.wakeups.connected import FLUSH_TIMEOUT, ConnectedWakeups
from horae.wakeups.message import pack, unpack

log = logging.getLogger(__name__)

CHANNEL = "horae"
PAYLOAD_LIMIT = 7_999
CONNECT_TIMEOUT = 3.0
COMMAND_TIMEOUT = 5.0
PROBE_TIMEOUT = 2.0
PING_EVERY, PING_TIMEOUT = 2.0, 1.5  # a connection that died silently is noticed by then: idle workers rely on it
PING_RARELY = 15.0  # where nothing is listened for: a NOTIFY notices a dead connection, too
LAST_LOOK = 0.1
YOUNG = 5.0  # seconds: reports of dead connections in quick succession are about the previous connection

# Options that libpq or SQLAlchemy know and the server does not; asyncpg would pass them on to it.
NOT_FOR_THE_SERVER = {
    "async_fallback", "channel_binding", "connect_timeout", "fallback_application_name", "gssencmode",
    "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts",
    "prepared_statement_cache_size", "prepared_statement_name_func", "replication", "requirepeer",
    "sslcompression", "tcp_user_timeout",
}  # fmt: skip


class PostgresqlWakeups(ConnectedWakeups[Any]):
    """One per process and event loop. `url` is `postgresql://…`, query options included."""

    def __init__(self, url: str, *, channel: str = CHANNEL) -> None:
        self._dsn, hidden = _dsn(url)
        super().__init__(hidden)
        self._channel = channel
        self._probe_text = ""
        self._probe_seen = asyncio.Event()

    def doubt(self) -> None:
        """Opens a new connection, unless this one is new: checking an old one would take as long as giving up on it."""
        if self._age() > YOUNG:
            super().doubt()

    async def _listen(self, connection: Any) -> None:
        """Starts to listen, and finds out whether anything arrives."""
        if self._topics:
            try:
                await connection.add_listener(self._channel, self._receive)
                arrives = await self._probe()
            except asyncpg.PostgresError as error:  # the server refuses, a standby for example
                log.debug("LISTEN failed: %s", self._describe(error))
                arrives = False
            if arrives:
                self._said.discard("useless")
            else:
                self._say(
                    "useless", logging.WARNING,
                    "no wake-ups arrive through this database URL (is it a connection pooler in transaction "
                    "mode?): polling instead",
                )  # fmt: skip
            self._reliable = arrives

    async def _probe(self) -> bool:
        """Whether a NOTIFY from elsewhere arrives. One from the same connection would come back even through
        a pooler."""
        self._probe_seen.clear()
        self._probe_text = f"probe:{secrets.token_hex(8)}"
        async with self._connection() as other:
            await other.execute(_notify(self._channel, [self._probe_text.encode()]))
        try:
            async with asyncio.timeout(PROBE_TIMEOUT):
                await self._probe_seen.wait()
        except TimeoutError:
            return False
        return True

    async def _serve(self, connection: Any) -> None:
        """Sends accumulated hints until the connection is lost or closed."""
        connection.add_termination_listener(lambda _: self._wake.set())
        while True:
            self._wake.clear()
            if connection.is_closed() or self._doubted:
                raise ConnectionError("the connection was closed" if connection.is_closed() else "it may be dead")
            if self._pending:
                await self._notify(connection)
            elif self._closing:
                return
            else:
                try:
                    async with asyncio.timeout(PING_EVERY if self._topics else PING_RARELY):
                        await self._wake.wait()
                except TimeoutError:
                    await self._ping(connection)

    async def _ping(self, connection: Any) -> None:
        """Whether the peer is alive. If this process was too busy to check, data that arrived meanwhile counts."""
        answer = asyncio.ensure_future(connection.execute("SELECT 1"))
        try:
            for patience in (PING_TIMEOUT, LAST_LOOK):
                await asyncio.wait({answer}, timeout=patience)
            if not answer.done():
                raise TimeoutError("no answer in time")
            await answer
        finally:
            answer.cancel()

    async def _notify(self, connection: Any) -> None:
        hints, self._pending = self._pending, {}
        try:
            await connection.execute(_notify(self._channel, pack(hints, PAYLOAD_LIMIT)))
        except asyncpg.PostgresError as error:
            if connection.is_closed():
                self._pending = hints | self._pending
                raise
            self._say("refused", logging.WARNING, "hints cannot be sent (%s)", self._describe(error))
        except Exception:
            self._pending = hints | self._pending
            raise

    def _receive(self, _connection: Any, _pid: int, _channel: str, payload: str) -> None:
        if payload == self._probe_text:
            self._probe_seen.set()
            return
        for hint in unpack(payload, self._topics):
            self._on_hint(hint)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """A connection without prepared statements (a pooler may not keep them). Closed properly if all went well."""
        connection = await asyncpg.connect(
            self._dsn, timeout=CONNECT_TIMEOUT, command_timeout=COMMAND_TIMEOUT, statement_cache_size=0
        )
        try:
            yield connection
            with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=FLUSH_TIMEOUT)
        finally:
            if not connection.is_closed():
                connection.terminate()


def _notify(channel: str, messages: list[bytes]) -> str:
    """One message in the simple protocol, so one transaction, for any pooler, without waiting for the disk. NOTIFY
    is faster than SELECT pg_notify(): it is not planned."""
    return "; ".join(
        ["SET LOCAL synchronous_commit = off", *(f"NOTIFY {channel}, {_literal(each.decode())}" for each in messages)]
    )


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
    return f"E'{escaped}'"


def _dsn(url: str) -> tuple[str, list[str]]:
    """The URL for asyncpg, and the texts that must never be shown."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    hidden = [parts.password or "", unquote(parts.password or ""), query.get("password", "")]
    query = {name: value for name, value in query.items() if name not in NOT_FOR_THE_SERVER}
    query.setdefault("application_name", "horae wake-ups")
    dsn = parts._replace(scheme="postgresql", query=urlencode(query)).geturl()
    return dsn, [text for text in hidden if text]
