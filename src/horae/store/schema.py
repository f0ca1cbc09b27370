"""Schema migration, and the check that this code may use the schema.

Revisions are consecutive numbers. The database stores its revision and the oldest one whose code may still work on it
(`installation.minimum_revision`), so that in a rolling upgrade old processes continue until the new schema really
forbids it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import unquote

from horae.domain.errors import InvalidInput, SchemaMismatch, StoreUnavailable
from horae.store.dialects.base import Connection, Dialect

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection as SyncConnection
    from sqlalchemy import Engine

T = TypeVar("T")

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
CODE_REVISION = max(path.name[:4] for path in _VERSIONS.glob("[0-9]*.py"))  # the newest migration in this code
OLDEST_USABLE = CODE_REVISION  # the oldest schema that this code can use: a lower one only if tests prove it
MISSING = "the database has no Horae schema yet: run `horae migrate` first"


class Installation(NamedTuple):
    """`name` differs from that of any other installation, except that of a copy of its database."""

    shard_count: int
    name: str


async def check(db: Connection, d: Dialect) -> Installation:
    """Raises SchemaMismatch unless this code may use this database."""
    try:
        rows = await db.fetch(
            "SELECT v.version_num AS revision, i.minimum_revision, i.shard_count, i.created_at "
            "FROM alembic_version v CROSS JOIN installation i"
        )
    except StoreUnavailable:
        raise
    except Exception:
        rows = []
    if not rows:
        raise SchemaMismatch(MISSING)
    revision, minimum = rows[0]["revision"], rows[0]["minimum_revision"]
    if revision < OLDEST_USABLE:
        raise SchemaMismatch(
            f"the database schema is at revision {revision}, this Horae needs {OLDEST_USABLE}: run `horae migrate`"
        )
    _refuse_too_new(revision, minimum)
    return Installation(int(rows[0]["shard_count"]), f"{rows[0]['created_at']:%Y%m%dT%H%M%S.%f}")


def _refuse_too_new(revision: str, minimum: str) -> None:
    if minimum > CODE_REVISION:
        raise SchemaMismatch(
            f"the database schema (revision {revision}) no longer allows this Horae, which knows revision "
            f"{CODE_REVISION}: install a newer Horae"
        )


async def migrate(url: str, *, to: str = "head", shard_count: int = 64) -> None:
    """Migrates the schema to a revision; safe to repeat, and to run from several processes at once."""
    if url.startswith("sqlite:"):
        _keep_private(Path(unquote(url.partition(":")[2].removeprefix("///"))))
    await _connected(url, lambda connection: _run(connection, to, shard_count))


def _keep_private(file: Path) -> None:
    """SQLite would let every local user read it, with logs, inputs and password hashes. Files that it creates beside it
    have the same permissions. Group permissions that were granted are kept."""
    if str(file).startswith("file:"):
        return  # SQLite's own form, for databases in memory
    with suppress(OSError):  # not ours to change, or cannot be created: reported when opening
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        for path in (file, *(file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))):
            if path.exists():
                path.chmod(path.stat().st_mode & 0o770)


async def current_revision(url: str) -> str | None:
    """None if there is no schema yet."""
    return await _connected(url, _current)


def known_revision(given: str) -> str:
    """A revision by its number, with or without leading zeros. Raises InvalidInput if this version of Horae does not
    have it."""
    from alembic.script import ScriptDirectory

    known = sorted(script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions())
    number = given.strip().zfill(4)
    if number not in known:
        raise InvalidInput("--to", f"there is no revision {given!r}; this Horae knows {known[0]} to {known[-1]}")
    return number


async def _connected(url: str, work: Callable[[SyncConnection], T]) -> T:
    from sqlalchemy import NullPool, create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.ext.asyncio import create_async_engine

    address, is_async = sqlalchemy_url(url)
    try:
        if is_async:
            engine = create_async_engine(address, poolclass=NullPool)
            async with engine.connect() as connection:
                done = await connection.run_sync(work)
            await engine.dispose()
            return done
        return await asyncio.to_thread(_inline, create_engine(address, poolclass=NullPool), work)
    except (DBAPIError, OSError) as error:
        cause = getattr(error, "orig", None) or error
        raise StoreUnavailable(f"the database cannot be migrated: {cause}") from error


def _inline(engine: Engine, work: Callable[[SyncConnection], T]) -> T:
    with engine.connect() as connection:
        return work(connection)


def _run(connection: SyncConnection, to: str, shard_count: int) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = alembic_config()
    config.attributes["connection"] = connection
    config.attributes["shard_count"] = shard_count
    script = ScriptDirectory.from_config(config)
    head = script.get_current_head()
    target = head if to == "head" else to
    current = _current(connection)
    if current is not None and head is not None and current > head:
        _leave_newer(connection, current, to)
    elif current is not None and (target is None or target == "base" or current > target):
        command.downgrade(config, to)
    else:
        command.upgrade(config, to)


def _current(connection: SyncConnection) -> str | None:
    from alembic.runtime.migration import MigrationContext

    revision = MigrationContext.configure(connection).get_current_revision()
    connection.rollback()
    return revision


def _leave_newer(connection: SyncConnection, current: str, to: str) -> None:
    """A newer Horae has already migrated: in a rolling upgrade this one may still use it, but not change it."""
    from sqlalchemy import text

    _refuse_too_new(current, connection.scalar(text("SELECT minimum_revision FROM installation")) or "")
    if to != "head":
        raise SchemaMismatch(
            f"only the version of Horae that has revision {current} of the database schema can downgrade it"
        )


def alembic_config() -> Config:
    from alembic.config import Config

    config = Config()
    # A percent sign would begin a reference to another option.
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def sqlalchemy_url(url: str) -> tuple[str, bool]:
    """The URL in SQLAlchemy's form, and whether its driver is asynchronous."""
    scheme, _, rest = url.partition(":")
    match scheme.partition("+")[0]:
        case "postgresql" | "postgres":
            return f"postgresql+asyncpg:{rest}", True
        case "mysql" | "mariadb":
            return f"mysql+asyncmy:{rest}", True
        case _:
            return f"sqlite:{rest}", False
