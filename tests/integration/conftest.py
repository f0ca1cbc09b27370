"""What tests of several folders ask for."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.integration.executors.podman import Podman
from tests.lacking import lacking

_BOX = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--unshare-net", "--proc", "/proc", "true"]


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """Skips where there is none, or fails where all must run."""
    it = Podman()
    try:
        it.start()
        yield it
    finally:
        it.stop()


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """Skips where it does not work, or fails where all must run."""
    _try_box()


@pytest.fixture(scope="session")
def nobody_s_bubblewrap(nobody: str) -> None:
    """A machine may let root alone have namespaces."""
    from tests.integration.cluster.hostile import AS_NOBODY

    _try_box(*AS_NOBODY)


@pytest.fixture(scope="session")
def nobody() -> str:
    """The interpreter for processes that are not root. Skips where there is none, or fails where all must run."""
    from tests.integration.cluster.hostile import python

    return python()


def _try_box(*before: str) -> None:
    try:
        tried = subprocess.run([*before, *_BOX], check=False, capture_output=True, text=True)
    except OSError as error:
        lacking(f"no bubblewrap: {error.strerror}")
    if tried.returncode:
        lacking(f"bubblewrap does not work here: {tried.stderr[-500:]}")
