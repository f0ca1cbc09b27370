"""SQLite through the standard library, each connection on its own thread; batches travel as JSON.

Time is a number of microseconds, from a clock that the store is given: all processes share one host, so its clock is
the database's, and a simulation can move it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

import orjson
from sqlalchemy import Table

from horae.domain.cluster.meters import Histogram
from horae.store import portable
from horae.store.dialects.base import Dialect, Params, Row, Rows, listed, positional, quoted
from horae.store.dialects.turn import Turn, turn_of
from horae.store.failures import DuplicateKey, StoreRefused, StoreUnavailable, TryAgain

T = TypeVar("T")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
BUSY_TIMEOUT = 5.0
_BUSY_ROUND = 0.008  # seconds in which SQLite retries three times, before its pauses become long
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_AWAY = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM}
_REFUSED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_PERM}


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // _MICROSECOND


sqlite3.register_adapter(datetime, _micros)
sqlite3.register_converter("TIMESTAMP", lambda value: _EPOCH + timedelta(microseconds=int(value)))
sqlite3.register_converter("BOOLEAN", lambda value: value != b"0")


class SqliteDialect(Dialect):
    name = "sqlite"
    hot = portable
    one_writer = True
    insert_returns = True
    # BEGIN IMMEDIATE has locked the whole database already.
    lock = ""
    lock_skip = ""
    lock_shared = ""

    @property
    def now(self) -> str:
        return f"(horae_now() + {int(self.shift * 1e6)})" if self.shift else "horae_now()"

    def later(self, seconds: str) -> str:
        return f"({self.now} + CAST({seconds} * 1000000 AS INTEGER))"

    def earlier(self, seconds: str) -> str:
        return f"({self.now} - CAST({seconds} * 1000000 AS INTEGER))"

    def time(self, expression: str, name: str) -> str:
        # An expression has no declared type: the driver converts it because of the type in its name.
        return f'{expression} AS "{name} [timestamp]"'

    def millis(self, start: str, end: str) -> str:
        return f"({end} - {start}) / 1000"

    def hour(self, time: str) -> str:
        return f"({time} - {time} % 3600000000)"

    def among(self, column: str, param: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(:{param}))"

    def holds(self, column: str, param: str) -> str:
        return f"instr({column}, :{param}) > 0"

    def part(self, column: str, key: str) -> str:
        return f"CASE WHEN json_valid({column}) THEN json_extract({column}, '$.{key}') END"

    def bytes(self, column: str) -> str:
        return f"length(CAST({column} AS BLOB))"  # length() of a text counts characters

    def same(self, left: str, right: str) -> str:
        return f"{left} IS {right}"

    def rows(self, alias: str, table: Table, columns: Sequence[str]) -> Rows:
        values = ", ".join(f"value ->> {i} AS {quoted(column)}" for i, column in enumerate(columns))
        return Rows(f"(SELECT {values} FROM json_each(:{alias})) AS {alias}", alias, tuple(columns))

    def rows_params(self, rows: Rows, values: Sequence[Sequence[Any]]) -> dict[str, Any]:
        return {rows.alias: values}

    def update_from(self, table: str, rows: Rows, sets: Mapping[str, str], where: str) -> str:
        changes = ", ".join(f"{column} = {value}" for column, value in sets.items())
        return f"UPDATE {table} SET {changes} FROM {rows.sql} WHERE {where}"

    def ignore_duplicates(self, insert: str) -> str:
        # Without a WHERE the parser takes ON for the condition of a join.
        return f"{insert} WHERE true ON CONFLICT DO NOTHING"

    def upsert(self, insert: str, keys: Sequence[str], sets: Mapping[str, str]) -> str:
        changes = ", ".join(
            f"{column} = {value.format(new=f'excluded.{column}', old=column)}" for column, value in sets.items()
        )
        return f"{insert} WHERE true ON CONFLICT ({listed(keys)}) DO UPDATE SET {changes}"


class SqliteConnection:
    """One connection. Its statements run on its own thread, or inline where a simulation must replay them."""

    def __init__(self, path: str, now: Callable[[], datetime], *, inline: bool = False) -> None:
        self.seconds: Histogram | None = None
        self.broken = False
        self._thread = None if inline else ThreadPoolExecutor(1, thread_name_prefix="horae-sqlite")
        self._path, self._now = path, now
        self._raw: sqlite3.Connection
        self._beginning = False
        self._is_file = not path.startswith("file:")  # SQLite's own form, for databases in memory
        self._file: tuple[int, int] | None = None
        self._turn: Turn | None = None  # None if the database is not shared
        self._has_turn = False

    async def open(self) -> SqliteConnection:
        with self._mapped():
            await self._run(self._connect)
        return self

    def _connect(self) -> None:
        raw = sqlite3.connect(
            # Never creates the file: an empty one in its place would hide that it is gone.
            f"file:{quote(self._path)}?mode=rw" if self._is_file else self._path,
            timeout=_BUSY_ROUND,
            isolation_level=None,
            detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES,
            check_same_thread=False,
            cached_statements=512,
            uri=True,
        )
        self._raw = raw
        self._file = self._identity()
        if self._file is not None and self._thread is not None:
            self._turn = turn_of(self._file)
        raw.row_factory = sqlite3.Row
        self._patiently("PRAGMA journal_mode = WAL")  # the first to read: the last process to close it locks it
        raw.execute("PRAGMA synchronous = FULL")
        raw.execute("PRAGMA foreign_keys = ON")
        raw.execute("PRAGMA cache_size = -16000")
        # "Deterministic" lets SQLite call it once per statement instead of once per row.
        raw.create_function("horae_now", 0, lambda: _micros(self._now()), deterministic=True)

    def _identity(self) -> tuple[int, int] | None:
        """Which file is there under this name."""
        if not self._is_file:
            return None
        try:
            found = os.stat(self._path)  # noqa: PTH116 (at every transaction: the quicker way)
        except OSError:
            return (0, 0)
        return (found.st_dev, found.st_ino)

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        text, values = _bound(sql, params)
        with self._mapped():
            return await self._run(lambda: self._execute(text, values).fetchall())

    async def execute(self, sql: str, params: Params | None = None) -> int:
        text, values = _bound(sql, params)
        with self._mapped():
            return await self._run(lambda: max(self._execute(text, values).rowcount, 0))

    def _execute(self, text: str, values: list[Any]) -> sqlite3.Cursor:
        if not self._raw.in_transaction and self._identity() != self._file:
            # Processes that have it open can still write to a removed file; that data would be lost.
            raise StoreRefused(f"SQLite: {self._path} was removed or replaced")
        try:
            if self._beginning:
                self._take_turn()
                # IMMEDIATE: a deferred transaction that starts to write fails immediately, regardless of the timeout.
                self._patiently("BEGIN IMMEDIATE")
                self._beginning = False
            return self._patiently(text, values)
        finally:
            if not self._raw.in_transaction:
                self._give_turn()

    def _patiently(self, text: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        end = time.monotonic() + BUSY_TIMEOUT
        while True:
            try:
                return self._raw.execute(text, values)
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY or self._thread is None or time.monotonic() >= end:
                    raise

    def _take_turn(self) -> None:
        if self._turn is not None and not self._has_turn:
            if not self._turn.take(BUSY_TIMEOUT):
                raise TryAgain("SQLite was busy for too long: others of this process had their turn")
            self._has_turn = True

    def _give_turn(self) -> None:
        if self._turn is not None and self._has_turn:
            self._has_turn = False
            self._turn.give()

    async def begin(self) -> None:
        self._beginning = True  # together with the first statement: saves a trip to the thread

    async def commit(self) -> None:
        if not self._beginning:
            await self.execute("COMMIT")
        self._beginning = False

    async def rollback(self) -> None:
        self._beginning = False
        if self._raw.in_transaction:
            await self.execute("ROLLBACK")

    async def close(self) -> None:
        self.broken = True
        if hasattr(self, "_raw"):
            await self._run(self._close)
        if self._thread:
            self._thread.shutdown(wait=False)

    def _close(self) -> None:
        try:
            self._raw.close()
        finally:
            self._give_turn()

    async def _run(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
            if self.seconds is not None:
                self.seconds.observe(time.monotonic() - began)
        except (asyncio.CancelledError, StoreRefused):
            self.broken = True
            raise
        except sqlite3.IntegrityError as error:
            if "UNIQUE" in str(error):
                raise DuplicateKey(str(error)) from error
            raise
        except sqlite3.DatabaseError as error:
            translated = _translated(error)
            self.broken = self.broken or (
                isinstance(translated, StoreUnavailable) and not isinstance(translated, TryAgain)
            )
            raise translated from error


def _translated(error: sqlite3.DatabaseError) -> Exception:
    code = _code(error)
    if code in _BUSY:
        return TryAgain(f"SQLite was busy for too long: {error}")
    if code in _AWAY:
        return StoreUnavailable(f"SQLite: {error}")
    if code in _REFUSED:
        return StoreRefused(f"SQLite: {error}")
    return error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the extended part is in the message too


def _bound(sql: str, params: Params | None) -> tuple[str, list[Any]]:
    text, names = positional(sql, "?")
    return text, [_plain(params[name]) for name in names] if params else []


def _plain(value: Any) -> Any:
    """Lists and batches become JSON, in which times are numbers as in the tables."""
    if isinstance(value, list | tuple | set | frozenset):
        if not isinstance(value, list):
            value = list(value)
        return orjson.dumps(value, default=_encode, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()
    return value


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return _micros(value)
    raise TypeError(f"{type(value).__name__} does not go into a batch")
