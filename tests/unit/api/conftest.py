from collections.abc import Iterator

import pytest

from tests import logs


@pytest.fixture(autouse=True)
def plain_logs() -> Iterator[None]:
    with logs.plain():
        yield
