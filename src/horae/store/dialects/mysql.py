"""MySQL and MariaDB: batches travel as JSON, lists are written out by the driver."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import asyncmy
import orjson
from asyncmy import converters, errors
from asyncmy.constants import CLIENT, FIELD_TYPE
from asyncmy.cursors import DictCursor
from sqlalchemy import Table
from sqlalchemy.dialects import mysql

from horae.store.dialects.base import Dialect, Params, Row, Rows, positional, quoted
from horae.store.failures import ConnectionLost, DuplicateKey, StoreUnavailable, TryAgain

logging.getLogger("asyncmy").setLevel(logging.ERROR)  # it repeats the server's notes about DDL
_SQLALCHEMY = mysql.dialect()
_SESSION = (
    # Double quotes name columns as everywhere else; times are UTC; each statement sees what is committed.
    "SET sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', "
    "time_zone = '+00:00', innodb_lock_wait_timeout = 20"
)
# The variable of this has another name on each of the two; the statement is the same.
_ISOLATION = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
_PATIENCE = 60.0  # seconds for an answer: a server that vanished without a word would be waited for for hours
_DUPLICATE = {1062}
_IN_THE_WAY = {1205, 1213, 1020, 3572}
_LOST = {2006, 2013, 2014, 2055, 1053, 1927, 1158, 1159, 1160, 1161, 4031}


class MysqlDialect(Dialect):
    name = "mysql"
    lock_shared = "LOCK IN SHARE MODE"  # MariaDB knows no FOR SHARE

    @property
    def now(self) -> str:
        return f"(UTC_TIMESTAMP(6) + INTERVAL {self.shift} SECOND)" if self.shift else "UTC_TIMESTAMP(6)"

    def later(self, seconds: str) -> str:
        return f"({self.now} + INTERVAL {seconds} SECOND)"

    def earlier(self, seconds: str) -> str:
        return f"({self.now} - INTERVAL {seconds} SECOND)"

    def by_key(self, table: str, alias: str) -> str:
        # Left to itself it reads a small table whole, and waits for the lock of every row in it.
        return f"STRAIGHT_JOIN {table} {alias} FORCE INDEX (PRIMARY)"

    def millis(self, start: str, end: str) -> str:
        return f"(TIMESTAMPDIFF(MICROSECOND, {start}, {end}) DIV 1000)"

    def among(self, column: str, param: str) -> str:
        return f"{column} IN :{param}"

    def holds(self, column: str, param: str) -> str:
        return f"INSTR({column}, :{param}) > 0"

    def same(self, left: str, right: str) -> str:
        return f"{left} <=> {right}"

    def rows(self, alias: str, table: Table, columns: Sequence[str]) -> Rows:
        parts = ", ".join(
            f"{quoted(column)} {_json_type(table, column)} PATH '$[{i}]'" for i, column in enumerate(columns)
        )
        return Rows(f"JSON_TABLE(:{alias}, '$[*]' COLUMNS ({parts})) AS {alias}", alias, tuple(columns))

    def rows_params(self, rows: Rows, values: Sequence[Sequence[Any]]) -> dict[str, Any]:
        text = orjson.dumps(values, default=_encode, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()
        return {rows.alias: text}

    def update_from(self, table: str, rows: Rows, sets: Mapping[str, str], where: str) -> str:
        changes = ", ".join(f"{table}.{column} = {value}" for column, value in sets.items())
        return f"UPDATE {rows.sql} {self.by_key(table, table)} ON {where} SET {changes}"

    def ignore_duplicates(self, insert: str) -> str:
        # Not INSERT IGNORE, which would hide every other error too.
        first = insert.split("(", 1)[1].split(",", 1)[0].strip(" )")
        table = insert.split()[2]
        return f"{insert} ON DUPLICATE KEY UPDATE {table}.{first} = {table}.{first}"

    def upsert(self, insert: str, keys: Sequence[str], sets: Mapping[str, str]) -> str:
        table = insert.split()[2]
        changes = ", ".join(
            f"{table}.{column} = {value.format(new=f'VALUES({column})', old=f'{table}.{column}')}"
            for column, value in sets.items()
        )
        return f"{insert} ON DUPLICATE KEY UPDATE {changes}"


def _json_type(table: Table, column: str) -> str:
    kind = table.c[column].type.compile(dialect=_SQLALCHEMY)
    return "TINYINT" if kind == "BOOL" else kind


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    raise TypeError(f"{type(value).__name__} does not go into a batch")


def _decode_time(text: Any) -> Any:
    value = converters.convert_datetime(text)
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


_CONVERSIONS = {
    **converters.conversions,
    FIELD_TYPE.DATETIME: _decode_time,
    FIELD_TYPE.TIMESTAMP: _decode_time,
}


class MysqlConnection:
    """One asyncmy connection."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.broken = False

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        text, names = positional(sql, "%s")
        with self._mapped():
            async with self._raw.cursor(DictCursor) as cursor:
                await cursor.execute(text, [_plain(params[name]) for name in names] if params else [])
                rows: Sequence[Row] = await cursor.fetchall()
                return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        text, names = positional(sql, "%s")
        with self._mapped():
            async with self._raw.cursor() as cursor:
                matched: int = await cursor.execute(text, [_plain(params[name]) for name in names] if params else [])
                return matched

    async def begin(self) -> None:
        with self._mapped():
            await self._raw.begin()

    async def commit(self) -> None:
        with self._mapped():
            await self._raw.commit()

    async def rollback(self) -> None:
        with self._mapped():
            await self._raw.rollback()

    async def close(self) -> None:
        self.broken = True
        self._raw.close()

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            self.broken = True
            raise
        except (errors.MySQLError, OSError, EOFError, RuntimeError) as error:
            translated = _translated(error)
            self.broken = self.broken or isinstance(translated, StoreUnavailable)
            raise translated from error


def _plain(value: Any) -> Any:
    # The driver writes out tuples only.
    return tuple(value) if isinstance(value, set | frozenset | list) else value


def _translated(error: Exception) -> Exception:
    code = error.args[0] if error.args else None
    if code in _DUPLICATE:
        return DuplicateKey(str(error.args[1]))
    if code in _IN_THE_WAY:
        return TryAgain(str(error.args[1]))
    # RuntimeError: what uvloop says of a transport that is closed.
    if code in _LOST or isinstance(error, OSError | EOFError | RuntimeError | errors.InterfaceError):
        return ConnectionLost(f"MySQL does not answer: {error.args[-1] if error.args else type(error).__name__}")
    return error


async def connect(url: str) -> MysqlConnection:
    parts = urlsplit(url)
    try:
        raw = await asyncmy.connect(
            host=parts.hostname or "127.0.0.1",
            port=parts.port or 3306,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            db=parts.path.lstrip("/"),
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=5,
            read_timeout=_PATIENCE,
            init_command=_SESSION,
            conv=_CONVERSIONS,
            # Without it an UPDATE that changes nothing reports no row, which would look like a lost lease.
            client_flag=CLIENT.FOUND_ROWS,
        )
    except (errors.MySQLError, OSError, EOFError, RuntimeError) as error:
        # RuntimeError: the driver's own words for a connection that was gone as soon as it was made.
        raise StoreUnavailable(
            f"MySQL cannot be reached: {error.args[-1] if error.args else type(error).__name__}"
        ) from error
    connection = MysqlConnection(raw)
    try:
        await connection.execute(_ISOLATION)
    except BaseException:
        await connection.close()
        raise
    return connection
