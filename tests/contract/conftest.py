"""`world` runs a test on SQLite, PostgreSQL and MariaDB alike, each time on a fresh copy of a migrated database."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from horae.store import schema
from tests.contract.world import WORK, World
from tests.databases import KINDS, Databases, run
from tests.functions import register

Templates = Callable[[str], str]


@pytest.fixture(scope="session")
def template(databases: Databases) -> Templates:
    """`template(kind)` is the URL of a migrated database that nobody touches: migrated once, copied often."""
    made: dict[str, str] = {}

    def of(kind: str) -> str:
        if kind not in made:
            made[kind] = databases.create(kind)
            run(schema.migrate(made[kind]))
            run(register(made[kind], WORK))
        return made[kind]

    return of


@pytest.fixture(params=[pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS])
async def world(
    request: pytest.FixtureRequest, template: Templates, borrow_database: Callable[[str, str], str]
) -> AsyncIterator[World]:
    url = borrow_database(request.param, template(request.param))
    async with AsyncExitStack() as stack:
        yield await World.open(url, stack)
