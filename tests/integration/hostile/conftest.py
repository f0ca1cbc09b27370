"""The stage, set up once for all attempts."""

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from tests.databases import Databases
from tests.integration.cluster.conftest import migrated
from tests.integration.hostile.stage import Stage, staged

__all__ = ["migrated"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    databases: Databases, migrated: Callable[[str], str], nobody_s_bubblewrap: None
) -> AsyncIterator[Stage]:
    url = databases.create("postgresql", like=migrated("postgresql"))
    async with staged(url) as made:
        yield made
    databases.drop(url)


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest) -> None:
    """The first attempt waits for the cluster as well."""
    request.node.add_marker(pytest.mark.timeout(300))
