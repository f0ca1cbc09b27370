"""Real servers for hints, PostgreSQL and Redis, straight or through a proxy."""

from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from horae.wakeups.connected import ConnectedWakeups
from horae.wakeups.postgresql import PostgresqlWakeups
from horae.wakeups.redis import RedisWakeups
from tests.databases import server_url
from tests.integration.wakeups.proxy import Proxy

Make = Callable[..., ConnectedWakeups]


@pytest.fixture
def carrier() -> str:
    """Tests of what all carriers do set it by a parameter (`EVERY_CARRIER`)."""
    return "postgresql"


EVERY_CARRIER = pytest.mark.parametrize(
    "carrier", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "redis")]
)


@pytest.fixture
def url(carrier: str, make_database: Callable[..., str]) -> str:
    return make_database("postgresql") if carrier == "postgresql" else server_url(carrier)


@pytest.fixture
async def make(carrier: str, url: str) -> AsyncIterator[Make]:
    """Builds wake-ups of one installation."""
    made: list[ConnectedWakeups] = []
    own = uuid4().hex

    def build(through: str = url, installation: str = own) -> ConnectedWakeups:
        made.append(PostgresqlWakeups(through) if carrier == "postgresql" else RedisWakeups(through))
        made[-1].join(installation)
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
def through(carrier: str, url: str, proxy: Proxy) -> str:
    """The server's URL by way of the proxy."""
    parts = urlsplit(url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(
        netloc=f"{login}@127.0.0.1:{proxy.port}" if login else f"127.0.0.1:{proxy.port}",
        query="sslmode=disable" if carrier == "postgresql" else "",
    ).geturl()
