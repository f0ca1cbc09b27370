"""The stage, set up once for all attempts."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from horae.sdk.task import Task
from horae.store.schema import migrate
from tests.databases import Databases, run
from tests.functions import register
from tests.integration.cluster import tasks
from tests.integration.hostile.stage import Stage, staged


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(databases: Databases, nobody_s_bubblewrap: None) -> AsyncIterator[Stage]:
    url = databases.create("postgresql")
    run(migrate(url))
    run(register(url, *(task.function for task in vars(tasks).values() if isinstance(task, Task))))
    async with staged(url) as made:
        yield made
    databases.drop(url)


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest) -> None:
    """The first attempt waits for the cluster as well."""
    request.node.add_marker(pytest.mark.timeout(300))
