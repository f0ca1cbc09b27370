"""`world` runs a test on SQLite, PostgreSQL and MariaDB alike, each time on a fresh copy of a migrated database."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from tests.contract.world import WORK, World
from tests.databases import KINDS, Databases
from tests.migrated import migrated_once

Templates = Callable[[str], str]


@pytest.fixture(scope="session")
def template(databases: Databases) -> Templates:
    """`template(kind)` is the URL of a pristine migrated database: migrated once, copied often."""
    return migrated_once(databases, [WORK])


@pytest.fixture(params=[pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS])
async def world(
    request: pytest.FixtureRequest, template: Templates, borrow_database: Callable[[str, str], str]
) -> AsyncIterator[World]:
    url = borrow_database(request.param, template(request.param))
    async with AsyncExitStack() as stack:
        yield await World.open(url, stack)
