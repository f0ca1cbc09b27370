from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.up.running import UP, Running, stand_ins


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts `horae up` on a data directory of this test, by default with stand-ins for its children."""
    started: list[Running] = []

    def build(command: list[str] | None = None, **environment: str) -> Running:
        started.append(Running(command or stand_ins(), tmp_path / "data", **environment))
        return started[-1]

    yield build
    for running in started:
        running.kill()


@pytest.fixture
def start_up(start: Callable[..., Running]) -> Callable[..., Running]:
    """Starts the real thing."""
    return lambda *arguments, **environment: start([*UP, *arguments], **environment)
