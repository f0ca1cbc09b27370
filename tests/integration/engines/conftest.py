"""Clusters whose runs are carried by a broker."""

from collections.abc import Iterator

import pytest

from tests.integration.cluster.conftest import make_cluster, migrated, oracle
from tests.integration.engines.broker import EACH, BrokerUnderTest, shared

__all__ = ["make_cluster", "migrated", "oracle"]


@pytest.fixture(params=EACH)
def broker(request: pytest.FixtureRequest) -> Iterator[BrokerUnderTest]:
    made = shared(request.param)
    yield made
    made.delete()
