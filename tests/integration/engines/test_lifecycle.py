"""The contract tests of a run's life, with runs that reach workers only by messages over a real broker."""

import inspect
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from types import ModuleType
from typing import Any

import pytest

from horae.engines import celery_message, celery_publisher, celery_redis
from horae.engines.celery_broker import Broker
from horae.engines.celery_consumer import AmqpConsumer
from horae.engines.celery_redis import RedisConsumer
from tests.contract import (
    test_cancel,
    test_claim,
    test_delayed,
    test_fencing,
    test_finish,
    test_gate_order,
    test_limits,
    test_order,
    test_outcomes,
    test_overlap,
    test_park,
    test_pause,
    test_recover,
    test_retry,
)
from tests.contract.conftest import Templates, template
from tests.contract.world import World
from tests.integration.engines.broker import EACH, shared
from tests.integration.engines.carrier import CarriedWorld, Carrier

__all__ = ["template"]

pytestmark = pytest.mark.sqlite
_MODULES = (
    *(test_cancel, test_claim, test_delayed, test_fencing, test_finish, test_gate_order),
    *(test_limits, test_order, test_outcomes, test_overlap, test_park, test_pause, test_recover, test_retry),
)
_NOT_BY_MESSAGE = {
    "test_queues_in_the_order_they_are_given",  # the broker has its own order of queues
}


@pytest.fixture(params=EACH)
async def world(
    request: pytest.FixtureRequest,
    template: Templates,
    borrow_database: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[World]:
    under_test = shared(request.param)
    monkeypatch.setattr(celery_message, "QUEUE_PREFIX", f"horae-{uuid.uuid4().hex[:12]}.")
    monkeypatch.setattr(celery_redis, "_BLOCK", 0.02)  # seconds until it notices that it is to serve other queues
    broker = Broker(under_test.url)
    carrier = Carrier(broker, RedisConsumer(broker) if broker.redis else AmqpConsumer(broker))
    monkeypatch.setattr(celery_publisher, "open_channel", carrier.open_channel)

    class Carried(CarriedWorld):
        pass

    Carried.carrier = carrier
    url = borrow_database("sqlite", template("sqlite"))
    try:
        async with AsyncExitStack() as stack:
            yield await Carried.open(url, stack)
    finally:
        carrier.publisher.close()
        await carrier.consumer.close()
        for queue in carrier.queues:
            under_test.delete(queue)


def _chosen(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, test in vars(module).items():
        if not name.startswith("test_") or inspect.getmodule(test) is not module:
            continue
        marks = getattr(test, "pytestmark", [])
        elsewhere = any(mark.name == "parametrize" and mark.args[0] == "world" for mark in marks)
        if "world" in inspect.signature(test).parameters and not elsewhere and name not in _NOT_BY_MESSAGE:
            yield f"{module.__name__.rpartition('.')[2]}_{name.removeprefix('test_')}", test


globals().update(found for module in _MODULES for found in _chosen(module))
