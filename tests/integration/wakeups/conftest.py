"""A real PostgreSQL for hints, straight or through a proxy."""

from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

import pytest

from horae.wakeups.postgresql import PostgresqlWakeups
from tests.integration.wakeups.proxy import Proxy


@pytest.fixture
def url(make_database: Callable[..., str]) -> str:
    return make_database("postgresql")


@pytest.fixture
async def make_postgresql(url: str) -> AsyncIterator[Callable[..., PostgresqlWakeups]]:
    made: list[PostgresqlWakeups] = []

    def build(through: str = url) -> PostgresqlWakeups:
        made.append(PostgresqlWakeups(through))
        return made[-1]

    yield build
    for wakeups in made:
        await wakeups.close()


@pytest.fixture
async def proxy(url: str) -> AsyncIterator[Proxy]:
    parts = urlsplit(url)
    async with Proxy(parts.hostname or "localhost", parts.port or 5432) as proxy:
        yield proxy


@pytest.fixture
def through(url: str, proxy: Proxy) -> str:
    """The database's URL by way of the proxy."""
    parts = urlsplit(url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(
        netloc=f"{login}@127.0.0.1:{proxy.port}" if login else f"127.0.0.1:{proxy.port}",
        query="sslmode=disable",
    ).geturl()
