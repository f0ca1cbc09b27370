"""Connections to PostgreSQL through asyncpg. Statements are prepared once for each connection.

Behind a pooler in transaction mode every transaction may be on another of the server's connections: so nothing is
kept there from one to the next. We detect such a pooler: it refuses session settings, or the server knows our
connection by another number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import asyncpg

from horae.store.dialects.base import Params, Row, positional
from horae.store.dialects.link import (
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    IDLE_SECONDS,
    LOCK_SECONDS,
    ServerLink,
    notice_silence,
)
from horae.store.failures import ConnectionLost, Crowded, DuplicateKey, StoreRefused, StoreUnavailable, TryAgain

_SETTINGS = {
    "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    "lock_timeout": f"{LOCK_SECONDS}s",
    # Each statement has an index made for it, and live runs are in memory: at a disk's cost, a sequential
    # scan looks cheap where many rows are alike. (Not enable_seqscan: statements that touch partitions would then be
    # planned again each time.)
    "random_page_cost": "1.0",
    # Batches join by key: a plan that reads the whole table to join five hundred rows is never right here.
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
}
# For processes that repeat a few statements all day: generic plans, made once. By default the server plans every claim,
# because a plan for just these queues looks cheaper, and planning takes as long as the claim. Not for lists: they need
# partial indexes that the planner chooses only when it knows the value.
_PLAN_ONCE = {"plan_cache_mode": "force_generic_plan"}
# The server soon notices a dead client, whose transaction may hold locks.
_WATCHFUL = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "2"}
_NAME = {"application_name": "horae"}
_BEGIN_POOLED = "BEGIN; " + "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in _SETTINGS.items())
_POOLED_ANSWER_SECONDS = 15.0  # here we cannot ask whether the server is still working on it


class PostgresqlLink(ServerLink):
    title = "PostgreSQL"

    def __init__(self, raw: asyncpg.Connection[Any], *, pooled: bool) -> None:
        super().__init__(None if pooled else raw.get_server_pid())
        self._raw = raw
        self._begin = _BEGIN_POOLED if pooled else "BEGIN"
        self._pooled = pooled

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        text, names = positional(sql, "$")
        values = [params[name] for name in names] if params else ()
        with self.mapped():
            if self._pooled and not self._raw.is_in_transaction():
                return await self._fetch_alone(text, values)
            rows: Sequence[Row] = await self._raw.fetch(text, *values)
            return rows

    async def _fetch_alone(self, text: str, values: Sequence[Any]) -> Sequence[Row]:
        """Preparing and executing are two messages, and a pooler may send them to two servers."""
        await self._raw.execute(self._begin)
        try:
            rows: Sequence[Row] = await self._raw.fetch(text, *values)
            await self._raw.execute("COMMIT")
        except asyncpg.PostgresError:
            await self._raw.execute("ROLLBACK")
            raise
        return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        text, names = positional(sql, "$")
        with self.mapped():
            status = await self._raw.execute(text, *[params[name] for name in names] if params else ())
        return _matched(status)

    async def begin(self) -> None:
        with self.mapped():
            await self._raw.execute(self._begin)

    async def commit(self) -> None:
        with self.mapped():
            await self._raw.execute("COMMIT")

    async def rollback(self) -> None:
        with self.mapped():
            await self._raw.execute("ROLLBACK")

    async def close(self) -> None:
        if self.broken or self._raw.is_closed():
            self._raw.terminate()
            return
        self.broken = True
        try:
            await self._raw.close(timeout=2)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            self._raw.terminate()

    def cut(self) -> None:
        self.broken = True
        self._raw.terminate()

    async def at_work(self, numbers: Collection[int]) -> set[int]:
        rows = await self.fetch(
            "SELECT pid FROM pg_stat_activity WHERE pid = ANY(:numbers) AND state LIKE 'active%'",
            {"numbers": list(numbers)},
        )
        return {row["pid"] for row in rows}

    def translated(self, error: BaseException) -> BaseException:
        if self._raw.is_closed():
            self.broken = True
        return translated(error)


@lru_cache(maxsize=256)
def _matched(status: str) -> int:
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def translated(error: BaseException) -> BaseException:
    match error:
        case asyncpg.UniqueViolationError():
            return DuplicateKey(error.constraint_name)
        case (
            asyncpg.DeadlockDetectedError()
            | asyncpg.SerializationError()
            | asyncpg.LockNotAvailableError()
            | asyncpg.QueryCanceledError()
            | asyncpg.InvalidCachedStatementError()  # a migration has changed the table meanwhile
        ):
            return TryAgain(str(error))
        case asyncpg.InsufficientResourcesError():
            return StoreUnavailable(f"PostgreSQL cannot take more: {error}")
        case asyncpg.ReadOnlySQLTransactionError():
            return ConnectionLost(f"PostgreSQL takes no changes here, as a standby does: {error}")
        case (
            asyncpg.PostgresConnectionError()
            | asyncpg.InterfaceError()
            | asyncpg.InternalClientError()  # the server closed the connection while it was idle
            | asyncpg.OperatorInterventionError()
            | asyncpg.IdleInTransactionSessionTimeoutError()
            | OSError()
            | TimeoutError()
        ):
            return ConnectionLost(f"PostgreSQL does not answer: {_reason(error)}")
        case _:
            return error


def _reason(error: BaseException) -> str:
    """A timeout has no separate message."""
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)


class Connect:
    """Makes connections, and remembers whether a pooler is there."""

    def __init__(self, url: str, *, plan_once: bool = False) -> None:
        self._url = url
        self._settings = {**_SETTINGS, **_PLAN_ONCE} if plan_once else _SETTINGS
        self._pooled: bool | None = None

    async def __call__(self) -> PostgresqlLink:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._connected()
        except (asyncpg.InvalidCatalogNameError, asyncpg.InvalidAuthorizationSpecificationError) as error:
            raise StoreRefused(f"PostgreSQL refuses the connection: {error}") from error
        except asyncpg.TargetServerAttributeNotMatched as error:
            raise StoreUnavailable("PostgreSQL takes no changes there: it is a standby, or read-only") from error
        except asyncpg.TooManyConnectionsError as error:
            raise Crowded(f"PostgreSQL refuses further connections: {error}") from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            raise StoreUnavailable(f"PostgreSQL cannot be reached: {_reason(error)}") from error

    async def _connected(self) -> PostgresqlLink:
        try:
            return await self._open()
        except (asyncpg.ProtocolViolationError, _Pooled):  # the first is a pooler refusing settings
            if self._pooled:
                raise
            self._pooled = True
        return await self._open()

    async def _open(self) -> PostgresqlLink:
        pooled = bool(self._pooled)
        raw = await asyncpg.connect(
            self._url,
            timeout=CONNECT_SECONDS,
            command_timeout=_POOLED_ANSWER_SECONDS if pooled else ANSWER_SECONDS,
            server_settings=_NAME if pooled else {**_NAME, **self._settings, **_WATCHFUL},
            **({"statement_cache_size": 0} if pooled else {}),
            **({} if pooled or "target_session_attrs" in self._url else {"target_session_attrs": "read-write"}),
        )
        try:
            notice_silence(raw._transport)
            if self._pooled is False:  # saves round trips on a slow network
                await _read_ids_as_text(raw)
            else:
                async with raw.transaction():
                    await self._prepare(raw)
        except BaseException:
            raw.terminate()
            raise
        self._pooled = pooled
        return PostgresqlLink(raw, pooled=pooled)

    async def _prepare(self, raw: asyncpg.Connection[Any]) -> None:
        if self._pooled is None and raw.get_server_pid() != await raw.fetchval("SELECT pg_backend_pid()"):
            raise _Pooled
        await _read_ids_as_text(raw)
        if self._pooled and await raw.fetchval("SELECT pg_is_in_recovery()"):
            raise asyncpg.TargetServerAttributeNotMatched


async def _read_ids_as_text(raw: asyncpg.Connection[Any]) -> None:
    """The server converts them faster than Python could."""
    await raw.set_type_codec("uuid", encoder=str, decoder=str, schema="pg_catalog", format="text")


class _Pooled(Exception):
    """The server knows this connection by another number: there is a connection pooler in between."""
