"""Opens the store that a URL names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from horae.domain.errors import ConfigurationError, SchemaMismatch
from horae.ports import Clock, Ids
from horae.store import schema
from horae.store.dialects.base import Connection, Dialect
from horae.store.store import SqlStore


async def open_store(
    url: str,
    *,
    clock: Clock,
    ids: Ids,
    connections: int = 4,
    patience: float | None = None,
    shift: float = 0,
    inline: bool = False,
    plan_once: bool = False,
) -> SqlStore:
    """Connects, checks the schema's version, and returns the store. `plan_once` is for processes that repeat a few
    statements all day. `shift` moves the database's clock and `inline` runs SQLite without its thread: both for tests
    and simulations."""
    if _is_missing_file(url):  # connecting would create an empty one
        raise SchemaMismatch(schema.MISSING)
    dialect, connect = choose(url, clock.now, shift=shift, inline=inline, plan_once=plan_once)
    connection = await connect()
    try:
        installation = await schema.check(connection, dialect)
    finally:
        await connection.close()
    store = SqlStore(
        connect,
        dialect,
        ids,
        shard_count=installation.shard_count,
        connections=connections,
        patience=patience,
    )
    store.installation = installation.name
    return store


def choose(
    url: str, now: Callable[[], datetime], *, shift: float = 0, inline: bool = False, plan_once: bool = False
) -> tuple[Dialect, Callable[[], Awaitable[Connection]]]:
    """The dialect and the connection function for a URL. Drivers are imported when needed."""
    scheme = url.partition(":")[0].partition("+")[0]
    if scheme in ("postgresql", "postgres"):
        from horae.store.dialects import postgresql, postgresql_link

        return postgresql.PostgresqlDialect(shift), postgresql_link.Connect(url, plan_once=plan_once)
    if scheme in ("mysql", "mariadb"):
        from horae.store.dialects import mysql, mysql_link

        return mysql.MysqlDialect(shift), lambda: mysql_link.connect(url)
    if scheme == "sqlite":
        from horae.store.dialects import sqlite

        path = sqlite_path(url)
        return sqlite.SqliteDialect(shift), lambda: sqlite.SqliteConnection(path, now, inline=inline).open()
    raise ConfigurationError(
        f"the database URL begins with {scheme!r}; Horae knows postgresql://, mysql:// and sqlite:///"
    )


def _is_missing_file(url: str) -> bool:
    """A path that begins with `file:` is SQLite's own form, for databases in memory."""
    if not url.startswith("sqlite:"):
        return False
    path = sqlite_path(url)
    return not path.startswith("file:") and not Path(path).exists()


def sqlite_path(url: str) -> str:
    """The file that `sqlite:///relative` or `sqlite:////absolute` names."""
    path = unquote(url.partition(":")[2].removeprefix("///"))
    if not path:
        raise ConfigurationError("the database URL has no SQLite file: write sqlite:////path/to/horae.db")
    return str(Path(path))
