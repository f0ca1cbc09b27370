"""Clusters for tests: a database with the schema, and processes that are gone when the test is."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from horae.sdk.task import Task
from tests.databases import Databases
from tests.integration.cluster import tasks
from tests.integration.cluster.cluster import Cluster, Make
from tests.integration.cluster.oracle import Oracle
from tests.migrated import migrated_once


@pytest.fixture(scope="session")
def migrated(databases: Databases) -> Callable[[str], str]:
    return migrated_once(databases, [task.function for task in vars(tasks).values() if isinstance(task, Task)])


@pytest.fixture
async def make_cluster(
    migrated: Callable[[str], str], borrow_database: Callable[[str, str], str], tmp_path: Path
) -> AsyncIterator[Make]:
    """`make_cluster(kind, **settings)`: a cluster on a fresh database, with no process yet. A process that printed a
    traceback fails the test."""
    made: list[Cluster] = []

    async def make(kind: str, **settings: str) -> Cluster:
        folder = tmp_path / f"cluster-{len(made)}"
        folder.mkdir()
        cluster = Cluster(borrow_database(kind, migrated(kind)), folder, settings)
        made.append(cluster)
        return await cluster.open()

    yield make
    for cluster in made:
        await cluster.close()
    assert [text for cluster in made for text in cluster.tracebacks()] == []


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    return Oracle(tmp_path / "oracle.txt")
