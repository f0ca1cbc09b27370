"""What tests of several folders ask for."""

from collections.abc import Iterator

import pytest

from tests.integration.executors.podman import Podman


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """Skips where there is none, or fails where all must run."""
    it = Podman()
    try:
        it.start()
        yield it
    finally:
        it.stop()
