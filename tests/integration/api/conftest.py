"""The API on a real database, called in process; one caller per role."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.signing_in.tokens import mint
from horae.clock import SystemClock, SystemIds
from horae.domain.jobs.task import describe
from horae.domain.people.key import ApiKey
from horae.domain.people.roles import ROLES
from horae.store.open import open_store
from horae.store.store import SqlStore
from tests import logs
from tests.databases import KINDS, Databases
from tests.migrated import migrated_once

IDS, CLOCK = SystemIds(), SystemClock()
ON_EVERY_DATABASE = pytest.mark.parametrize(
    "store", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS], indirect=True
)  # what the database has a part in and tests/contract does not show
SECRET = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


@pytest.fixture(autouse=True)
def plain_logs() -> Iterator[None]:
    with logs.plain():
        yield


@pytest.fixture(scope="session")
def migrated(databases: Databases) -> Callable[[str], str]:
    return migrated_once(databases, [describe(lambda **arguments: None, name=name) for name in ("f", "TOKEN")])


@pytest.fixture(params=[pytest.param("sqlite", marks=pytest.mark.sqlite)])
async def store(
    request: pytest.FixtureRequest, migrated: Callable[[str], str], borrow_database: Callable[[str, str], str]
) -> AsyncIterator[SqlStore]:
    url = borrow_database(request.param, migrated(request.param))
    opened = await open_store(url, clock=CLOCK, ids=IDS)
    yield opened
    await opened.close()


@dataclass
class Api:
    """The API, and calls to it by role."""

    app: Any
    store: SqlStore
    tokens: dict[str, str]

    async def call(self, method: str, path: str, *, role: str | None = "admin", **kwargs: Any) -> httpx.Response:
        headers = dict(kwargs.pop("headers", {}))
        if role is not None:
            headers.setdefault("authorization", f"Bearer {self.tokens[role]}")
        if not path.startswith(("/health", "/openapi", "/docs", "/metrics", "/api/", "/ping/", "/badge/")):
            path = "/api/v1" + path
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://horae") as client:
            return await client.request(method, path, headers=headers, **kwargs)

    async def make(self, name: str = "hello", **fields: Any) -> dict[str, Any]:
        body = {"name": name, "target": {"kind": "http", "url": "https://example.org/"}, **fields}
        answer = await self.call("POST", "/jobs", json=body)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found


async def add_key(store: SqlStore, role: str, project_id: str | None = None) -> str:
    token = mint()

    async def add(tx: Any) -> None:
        project = project_id or (await tx.access.default_project()).id
        await tx.access.add_key(ApiKey(IDS.new(), project, role, role, token.prefix, token.digest, "test"))

    await store.transact(add)
    return token.text


@pytest.fixture
async def api(store: SqlStore) -> Api:
    tokens = {role: await add_key(store, role) for role in ROLES}
    return Api(build(store, ApiSettings(SECRET), IDS, CLOCK), store, tokens)
