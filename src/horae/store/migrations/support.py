"""What migrations need from a database besides DDL: a lock, its clock, its partitions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, text

from horae.domain.errors import StoreUnavailable
from horae.store.dialects.months import partition_ddl

_KEY = 4_767_369_125  # any number that no one else uses
_PATIENCE = 60


@contextmanager
def exclusively(connection: Connection) -> Iterator[None]:
    """One migration at a time: several processes may start on the same new database in the same second."""
    name = connection.dialect.name
    if name == "postgresql":
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _KEY})
        connection.commit()
        try:
            yield
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _KEY})
            connection.commit()
    elif name in ("mysql", "mariadb"):
        if not connection.scalar(text("SELECT GET_LOCK('horae-migrate', :seconds)"), {"seconds": _PATIENCE}):
            raise StoreUnavailable(f"another process has been migrating for {_PATIENCE} s: try again when it has ended")
        try:
            yield
        finally:
            connection.execute(text("SELECT RELEASE_LOCK('horae-migrate')"))
    else:
        # pysqlite begins lazily and deferred; an explicit BEGIN IMMEDIATE makes others wait in the busy handler.
        connection.rollback()
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.isolation_level = None
        raw.execute("PRAGMA busy_timeout = 30000")
        _switch_to_wal(raw)
        raw.execute("BEGIN IMMEDIATE")
        yield


def _switch_to_wal(raw: Any) -> None:
    """While another process writes (it may be switching, too), the switch fails immediately, regardless of the timeout;
    a transaction waits for its end."""
    while True:
        try:
            raw.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raw.execute("BEGIN EXCLUSIVE")
            raw.execute("ROLLBACK")


def database_now(connection: Connection) -> Any:
    """The database's clock as a value for a time column; SQLite keeps microseconds since 1970."""
    name = connection.dialect.name
    if name == "postgresql":
        return connection.scalar(text("SELECT clock_timestamp()"))
    if name in ("mysql", "mariadb"):
        return connection.scalar(text("SELECT UTC_TIMESTAMP(6)"))
    return int(connection.scalar(text("SELECT (julianday('now') - 2440587.5) * 86400000000")))


def create_partitions(connection: Connection) -> None:
    """The partitions of this month and the next ones, and a default one."""
    if connection.dialect.name == "postgresql":
        now: datetime = database_now(connection)
        for table in ("run_history", "run_logs"):
            connection.execute(text(f"CREATE TABLE {table}_rest PARTITION OF {table} DEFAULT"))
            for ddl in partition_ddl(table, now.astimezone(UTC)):
                connection.execute(text(ddl))
