"""Connections to MySQL and MariaDB through asyncmy, which writes values and lists into the statements."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import asyncmy
from asyncmy import converters, errors
from asyncmy.constants import CLIENT, FIELD_TYPE
from asyncmy.cursors import DictCursor

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

logging.getLogger("asyncmy").setLevel(logging.ERROR)  # it repeats the server's notes about DDL
_SESSION = (
    # Double quotes name columns as everywhere else; times are UTC; each statement sees what is committed.
    "SET sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', "
    f"time_zone = '+00:00', innodb_lock_wait_timeout = {LOCK_SECONDS}, lock_wait_timeout = {LOCK_SECONDS} "
    f"/*M!100300 , idle_transaction_timeout = {IDLE_SECONDS} */ "  # only MariaDB reads this
    # Only MySQL reads this. It would prefer a skip scan of a longer index and a sort to an index in the right order.
    "/*!80013 , optimizer_switch = 'skip_scan=off' */"
)
# The two name this variable differently; the statement is the same.
_ISOLATION = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
_DUPLICATE = {1062}
_IN_THE_WAY = {1205, 1213, 1020, 3572, 1317, 3024, 1969}
_LOST = {2006, 2013, 2014, 2055, 1053, 1077, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031}
_LOST |= {1047}  # Galera: this node has lost the others
_READ_ONLY = {1290, 1792, 1836}
_FULL = {1021, 1037, 1038, 1041, 1114, 1637}  # disk, memory, room for transactions
_CROWDED = {1040, 1203, 1226}
_REFUSED = {1044, 1045, 1049, 1698}


def _decode_time(text: Any) -> Any:
    value = converters.convert_datetime(text)
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


_CONVERSIONS = {
    **converters.conversions,
    FIELD_TYPE.DATETIME: _decode_time,
    FIELD_TYPE.TIMESTAMP: _decode_time,
}


class MysqlLink(ServerLink):
    title = "MySQL"

    def __init__(self, raw: Any) -> None:
        super().__init__(raw.thread_id())
        self._raw = raw

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        text, names = positional(sql, "%s")
        with self.mapped():
            async with self._raw.cursor(DictCursor) as cursor:
                await cursor.execute(text, [_plain(params[name]) for name in names] if params else [])
                rows: Sequence[Row] = await cursor.fetchall()
                return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        text, names = positional(sql, "%s")
        with self.mapped():
            async with self._raw.cursor() as cursor:
                matched: int = await cursor.execute(text, [_plain(params[name]) for name in names] if params else [])
                return matched

    async def begin(self) -> None:
        with self.mapped():
            await self._raw.begin()

    async def commit(self) -> None:
        with self.mapped():
            await self._raw.commit()

    async def rollback(self) -> None:
        with self.mapped():
            await self._raw.rollback()

    async def close(self) -> None:
        if self.broken:
            self.cut()
        else:
            self.broken = True
            self._raw.close()

    def cut(self) -> None:
        self.broken = True
        if self._raw._transport is not None:
            self._raw._transport.abort()  # `close` would wait until everything is sent

    async def at_work(self, numbers: Collection[int]) -> set[int]:
        rows = await self.fetch(
            "SELECT id AS number FROM information_schema.processlist WHERE id IN :numbers AND command <> 'Sleep'",
            {"numbers": list(numbers)},
        )
        return {row["number"] for row in rows}

    def translated(self, error: BaseException) -> BaseException:
        return translated(error)


def _plain(value: Any) -> Any:
    # The driver expands tuples only.
    return tuple(value) if isinstance(value, set | frozenset | list) else value


def translated(error: BaseException) -> BaseException:
    code = error.args[0] if error.args else None
    if isinstance(error, errors.MySQLError) and code in _DUPLICATE | _IN_THE_WAY:
        return (DuplicateKey if code in _DUPLICATE else TryAgain)(str(error.args[1]))
    if code in _READ_ONLY:
        return ConnectionLost(f"MySQL takes no changes here, as a replica does: {error.args[1]}")
    if code in _FULL:
        return StoreUnavailable(f"MySQL cannot take more: {error.args[1]}")
    # RuntimeError: what uvloop raises for a closed transport.
    if code in _LOST or isinstance(error, OSError | EOFError | RuntimeError | errors.InterfaceError):
        return ConnectionLost(f"MySQL does not answer: {error.args[-1] if error.args else type(error).__name__}")
    return error


async def connect(url: str) -> MysqlLink:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await _connected(url)
    except TimeoutError:
        raise StoreUnavailable("MySQL cannot be reached: no answer in time") from None
    # RuntimeError: what the driver raises for a connection that was lost right after it was opened.
    except (errors.MySQLError, OSError, EOFError, RuntimeError, AttributeError) as error:
        code = error.args[0] if error.args else None
        reason = f"{error.args[-1] if error.args else type(error).__name__}"
        if code in _CROWDED:
            raise Crowded(f"MySQL refuses further connections: {reason}") from error
        if code in _REFUSED:
            raise StoreRefused(f"MySQL refuses the connection: {reason}") from error
        raise StoreUnavailable(f"MySQL cannot be reached: {reason}") from error


async def _connected(url: str) -> MysqlLink:
    parts = urlsplit(url)
    raw: Any = await asyncmy.connect(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        db=parts.path.lstrip("/"),
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        init_command=_SESSION,
        conv=_CONVERSIONS,
        # Without it an UPDATE that changes nothing reports no row, which would look like a lost lease.
        client_flag=CLIENT.FOUND_ROWS,
    )
    link = MysqlLink(raw)
    try:
        notice_silence(raw._transport)
        await link.execute(_ISOLATION)
        (row,) = await link.fetch("SELECT @@global.read_only AS read_only")
    except BaseException:
        link.cut()
        raise
    if int(row["read_only"]):
        await link.close()
        raise StoreUnavailable("MySQL takes no changes there: it is a replica, or read-only")
    return link
