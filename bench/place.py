"""Where a measurement happens: a fresh database with Horae's schema, on a durable server or a real disk."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import uuid4

import psutil
from sqlalchemy.engine import make_url

from horae import wiring
from horae.config import Settings, load
from horae.ports import Wakeups
from horae.store import schema
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.open import choose
from horae.store.store import SqlStore
from horae.wiring.engines import close_engine
from tests.databases import create_mysql, create_postgresql, drop_mysql, drop_postgresql

KINDS = ("sqlite", "postgresql", "mysql")
TITLES = {
    "sqlite": "SQLite",
    "postgresql": "PostgreSQL",
    "mysql": "MariaDB",
    "redis": "Redis",
    "rabbitmq": "RabbitMQ",
}

_one_at_a_time = asyncio.Lock()


class NoServer(Exception):
    """There is no server of this kind to measure on."""


@dataclass(frozen=True, slots=True)
class Place:
    """One database, empty but for the schema, and a folder for everything else a measurement needs."""

    kind: str
    url: str
    folder: Path
    wakeups: str | None = None  # the Redis that carries them, if it is not the database
    broker: str | None = None  # the one that carries runs, if it is not the database
    secret: str = field(default_factory=partial(token_hex, 32), repr=False)

    @property
    def title(self) -> str:
        return TITLES[self.kind]

    def inherited(self) -> dict[str, str]:
        """The environment of children, without settings of Horae from elsewhere."""
        return {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}

    def environment(self, **more: str) -> dict[str, str]:
        """The settings of Horae's processes here."""
        return {
            "HORAE_DATABASE_URL": self.url,
            "HORAE_DATA_DIR": str(self.folder),
            "HORAE_SECRET_KEY": self.secret,
            "HORAE_LOG_FORMAT": "json",
            **({"HORAE_WAKEUPS": self.wakeups} if self.wakeups else {}),
            **({"HORAE_ENGINE": "celery", "HORAE_BROKER_URL": self.broker} if self.broker else {}),
            **more,
        }

    def settings(self) -> Settings:
        return load(self.environment())

    @asynccontextmanager
    async def store(self, wakeups: Wakeups | None = None, *, connections: int = 4) -> AsyncIterator[SqlStore]:
        store = await wiring.store_for(self.settings(), wakeups, connections=connections)
        try:
            yield store
        finally:
            await close_engine(store)
            await store.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        _, connect = choose(self.url, wiring.CLOCK.now)
        connection = await connect()
        try:
            yield connection
        finally:
            await connection.close()

    def dialect(self) -> Dialect:
        return choose(self.url, wiring.CLOCK.now)[0]

    async def ask(self, sql: str, **params: Any) -> Sequence[Row]:
        """One question on its own connection."""
        async with self.connection() as connection:
            return await connection.fetch(sql, params)

    def server(self) -> psutil.Process | None:
        """The server's process; None where the database is none, or runs elsewhere."""
        port = make_url(self.url).port
        if port is None:
            return None
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid:
                return psutil.Process(found.pid)
        return None


@asynccontextmanager
async def fresh(kind: str) -> AsyncIterator[Place]:
    """Its own database with Horae's schema."""
    async with database(kind) as place:
        async with _one_at_a_time:  # Alembic's context is one for the whole process
            await schema.migrate(place.url)
        yield place


@asynccontextmanager
async def database(kind: str) -> AsyncIterator[Place]:
    """An empty one."""
    name = f"horae_bench_{uuid4().hex[:12]}"
    with _folder() as folder:
        if kind == "sqlite":
            yield Place(kind, f"sqlite:///{folder / name}.db", folder)
            return
        server = make_url(server_url(kind))
        create, drop = (create_postgresql, drop_postgresql) if kind == "postgresql" else (create_mysql, drop_mysql)
        await create(server, name, None)
        try:
            yield Place(kind, server.set(database=name).render_as_string(hide_password=False), folder)
        finally:
            await drop(server, name)


@contextmanager
def _folder() -> Iterator[Path]:
    """On a disk, not in memory, where fsync would cost nothing."""
    disk = Path("/var/tmp")
    folder = Path(tempfile.mkdtemp(prefix="horae-bench-", dir=disk if os.access(disk, os.W_OK) else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def server_url(kind: str) -> str:
    variable = f"HORAE_TEST_{kind.upper()}_URL"
    url = os.environ.get(variable)
    if not url:
        raise NoServer(f"no {TITLES[kind]}: {variable} is not set (`make bench` starts one, or tools/servers.py)")
    return url


async def until(condition: Callable[[], Awaitable[bool]], *, seconds: float, every: float = 0.05) -> None:
    """Waits for an awaitable condition to become true."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - it looks at a database, which sets no event here
            await asyncio.sleep(every)
