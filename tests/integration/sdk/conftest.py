"""A running Horae for the clients: all of it as `horae up` starts it, or a cluster of processes."""

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.cluster.conftest import make_cluster, migrated
from tests.integration.up.running import UP, Running

__all__ = ["make_cluster", "migrated"]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address and the key of a running `horae up`."""
    data = tmp_path_factory.mktemp("up") / "data"
    data.mkdir()
    running = Running(UP, data)
    try:
        asyncio.run(running.ready(60))
        left = json.loads(Path(data / "client.json").read_text())
        yield left["url"], left["token"]
        running.signal_parent(signal.SIGINT)
        asyncio.run(running.ended())
    finally:
        running.kill()
