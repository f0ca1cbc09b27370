"""A running Horae for the clients: all of it as `horae up` starts it, or a cluster of processes."""

import asyncio
import json
import signal
from collections.abc import Iterator

import pytest

from tests.integration.cluster.conftest import make_cluster, migrated
from tests.integration.up.running import UP, Running

__all__ = ["make_cluster", "migrated"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`horae up`."""
    data = tmp_path_factory.mktemp("up") / "data"
    data.mkdir()
    running = Running(UP, data, HORAE_SECOND_FACTOR="admins")  # test_nouns.py signs an admin in
    try:
        asyncio.run(running.ready(60))
        yield running
        running.signal_parent(signal.SIGINT)
        asyncio.run(running.ended())
    finally:
        running.kill()


@pytest.fixture(scope="module")
def up(running: Running) -> tuple[str, str]:
    """Its address and its key."""
    left = json.loads((running.data_dir / "client.json").read_text())
    return left["url"], left["token"]
