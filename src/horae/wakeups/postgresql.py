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
import random
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import asyncpg

from horae.ports import Hint
from horae.wakeups.message import OnHint, OnLost, nobody, pack, unpack

log = logging.getLogger(__name__)

CHANNEL = "horae"
PAYLOAD_LIMIT = 7_999
PENDING_LIMIT = 10_000  # hints kept while the database is unreachable
CONNECT_TIMEOUT = 3.0
COMMAND_TIMEOUT = 5.0
PROBE_TIMEOUT = 2.0
FLUSH_TIMEOUT = 1.0
PING_EVERY, PING_TIMEOUT = 2.0, 1.5  # a connection that died silently is noticed by then: idle workers rely on it
LAST_LOOK = 0.1
YOUNG = 5.0  # seconds: reports of dead connections in quick succession are about the previous connection
RETRY_FIRST, RETRY_MAX = 0.1, 2.0

# Options that libpq or SQLAlchemy know and the server does not; asyncpg would pass them on to it.
NOT_FOR_THE_SERVER = {
    "async_fallback", "channel_binding", "connect_timeout", "fallback_application_name", "gssencmode",
    "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts",
    "prepared_statement_cache_size", "prepared_statement_name_func", "replication", "requirepeer",
    "sslcompression", "tcp_user_timeout",
}  # fmt: skip


class PostgresqlWakeups:
    """One per process and event loop. `url` is `postgresql://…`, query options included."""

    def __init__(self, url: str, *, channel: str = CHANNEL) -> None:
        self._dsn, self._secrets = _dsn(url)
        self._channel = channel
        self._topics: frozenset[str] = frozenset()
        self._on_hint: OnHint = lambda _: None
        self._pending: dict[Hint, None] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connected = False
        self._connected_at = float("-inf")
        self._reliable = False
        self._closing = False
        self._doubted = False
        self._probe_text = ""
        self._probe_seen = asyncio.Event()
        self._said: set[str] = set()
        self.on_lost: OnLost = nobody

    @property
    def reliable(self) -> bool:
        return self._reliable

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        """Returns at once; as soon as hints can arrive, each topic is hinted."""
        self._topics, self._on_hint = frozenset(topics), on_hint
        self._ensure_task()

    async def send(self, hints: Collection[Hint]) -> None:
        """Returns at once; the hints are sent in the background."""
        if self._closing or not hints:
            return
        self._pending.update(dict.fromkeys(hints))
        if len(self._pending) > PENDING_LIMIT:
            self._say("dropped", logging.WARNING, "hints that could not be sent are dropped")
            self._pending.clear()
        self._wake.set()
        self._ensure_task()

    def doubt(self) -> None:
        """Opens a new connection, unless this one is new: checking an old one would take as long as giving up on it."""
        if asyncio.get_running_loop().time() - self._connected_at > YOUNG:
            self._doubted = True
            self._wake.set()

    async def close(self) -> None:
        self._closing = True
        self._wake.set()
        if self._task is None:
            return
        if self._connected:
            await asyncio.wait({self._task}, timeout=FLUSH_TIMEOUT)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._task = None

    def _ensure_task(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="wake-ups")

    async def _run(self) -> None:
        delay = RETRY_FIRST
        while not self._closing:
            try:
                async with self._connection() as connection:
                    self._connected, self._doubted = True, False
                    self._connected_at = asyncio.get_running_loop().time()
                    await self._listen(connection)
                    delay = RETRY_FIRST
                    try:
                        await self._serve(connection)
                    except Exception:
                        await self.on_lost()  # also if it was doubted: others may not know
                        raise
            except Exception as error:  # after any error, the next connection may work
                self._say(
                    "lost",
                    logging.WARNING,
                    "wake-ups are lost (%s): polling meanwhile",
                    self._describe(error),
                )
            finally:
                self._connected = self._reliable = False
            if not self._closing:
                await asyncio.sleep(delay * random.uniform(0.5, 1))
                delay = min(2 * delay, RETRY_MAX)

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
        if "lost" in self._said:
            self._said -= {"lost", "dropped"}
            log.info("the connection for wake-ups is back")
        for topic in self._topics:
            self._on_hint(topic)

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
                    async with asyncio.timeout(PING_EVERY):
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

    def _say(self, what: str, level: int, message: str, *args: Any) -> None:
        """Logs each problem once, until it is over."""
        if what not in self._said:
            self._said.add(what)
            log.log(level, message, *args)

    def _describe(self, error: BaseException) -> str:
        text = " ".join(str(error).split()) or type(error).__name__
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def _notify(channel: str, messages: list[bytes]) -> str:
    """One message in the simple protocol, hence one transaction, for any pooler, without waiting for the disk. NOTIFY
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
