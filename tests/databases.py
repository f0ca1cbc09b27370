"""Fresh databases for tests, each with a unique name: `Databases().create("postgresql")` returns its URL."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import asyncmy
import asyncpg
from sqlalchemy.engine import URL, make_url

from tests.lacking import lacking

KINDS = ("sqlite", "postgresql", "mysql")
T = TypeVar("T")


class Databases:
    """Makes databases and remembers them, to drop them at the end."""

    def __init__(self) -> None:
        self._made: list[str] = []
        self._folder = Path(tempfile.mkdtemp(prefix=f"horae-test-{os.getpid()}-", dir=memory()))

    def create(self, kind: str, *, like: str | None = None) -> str:
        """An empty database or, with `like`, a copy of that one (to which there must be no connection)."""
        name = f"horae_test_{uuid4().hex[:16]}"
        if kind == "sqlite":
            url = f"sqlite:///{self._folder / name}.db"
            if like:
                copy_file(like, url)
        else:
            server = make_url(server_url(kind))
            url = server.set(database=name).render_as_string(hide_password=False)
            work = create_postgresql if kind == "postgresql" else create_mysql
            run(work(server, name, make_url(like).database if like else None))
        self._made.append(url)
        return url

    def drop(self, url: str) -> None:
        self._made.remove(url)
        place = make_url(url)
        assert place.database
        if place.drivername == "sqlite":
            for file in Path(place.database).parent.glob(Path(place.database).name + "*"):
                file.unlink()
        else:
            work = drop_postgresql if place.drivername == "postgresql" else drop_mysql
            run(work(make_url(server_url(place.drivername)), place.database))

    def drop_all(self) -> None:
        for url in list(self._made):
            self.drop(url)
        shutil.rmtree(self._folder, ignore_errors=True)


def server_url(kind: str) -> str:
    """The server of that kind; without one the test is skipped, or fails where all must run."""
    variable = f"HORAE_TEST_{kind.upper()}_URL"
    if url := os.environ.get(variable):
        scheme, _, rest = url.partition("://")
        return f"{scheme.partition('+')[0]}://{rest}"
    return lacking(f"no {kind} server: {variable} is not set (`make test` starts one, or tools/servers.py)")


def run(work: Coroutine[Any, Any, T]) -> T:
    """On a loop and its own thread, so that it can be called from anywhere."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


# ---- PostgreSQL


async def create_postgresql(server: URL, name: str, like: str | None) -> None:
    async with postgresql(server) as connection:
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{like or "template0"}"')


async def drop_postgresql(server: URL, name: str) -> None:
    async with postgresql(server) as connection:
        await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@asynccontextmanager
async def postgresql(server: URL) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(server.render_as_string(hide_password=False))
    try:
        yield connection
    finally:
        await connection.close()


# ---- MariaDB


async def create_mysql(server: URL, name: str, like: str | None) -> None:
    async with mysql(server) as cursor:
        await cursor.execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
        if like:
            await copy_tables(cursor, like, name)


async def copy_tables(cursor: Any, source: str, target: str) -> None:
    """MariaDB has no template databases: the same tables, foreign keys included, and their rows."""
    await cursor.execute(f"USE `{target}`")
    await cursor.execute("SET foreign_key_checks = 0")
    await cursor.execute(f"SHOW FULL TABLES FROM `{source}` WHERE Table_type = 'BASE TABLE'")
    for table, _ in await cursor.fetchall():
        await cursor.execute(f"SHOW CREATE TABLE `{source}`.`{table}`")
        (_, definition) = await cursor.fetchone()
        await cursor.execute(definition)
        await cursor.execute(f"INSERT INTO `{table}` SELECT * FROM `{source}`.`{table}`")


async def drop_mysql(server: URL, name: str) -> None:
    async with mysql(server) as cursor:
        await cursor.execute(f"DROP DATABASE IF EXISTS `{name}`")


@asynccontextmanager
async def mysql(server: URL) -> AsyncIterator[Any]:
    connection = await asyncmy.connect(
        host=server.host,
        port=server.port or 3306,
        user=server.username,
        password=server.password or "",
        autocommit=True,
    )
    try:
        async with connection.cursor() as cursor:
            yield cursor
    finally:
        await connection.ensure_closed()


# ---- SQLite


def memory() -> Path | None:
    """Where its files are: it syncs at every commit, and a disk took as long for that as the tests for all the rest.
    What killed processes left there is removed."""
    disk = Path("/dev/shm")
    if not os.access(disk, os.W_OK) or shutil.disk_usage(disk).total < 4 << 30:
        return None
    for folder in disk.glob("horae-test-*-*"):
        if not Path("/proc", folder.name.split("-")[2]).exists():
            shutil.rmtree(folder, ignore_errors=True)
    return disk


def copy_file(like: str, url: str) -> None:
    source, target = make_url(like).database, make_url(url).database
    assert source
    assert target
    shutil.copyfile(source, target)
