"""Brokers for tests: a real RabbitMQ or Redis, and a look at what waits there."""

import os
import uuid
from typing import Any

import pytest
from kombu.connection import Connection

from horae.domain.runs.claimable import Claimable
from horae.engines.celery_broker import Broker
from horae.engines.celery_channels import open_channel
from horae.engines.celery_message import queue_name
from tests.lacking import lacking

KINDS = ("redis", "rabbitmq")
EACH = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS]


class BrokerUnderTest:
    """A broker, and a queue in it that no other test uses."""

    def __init__(self, kind: str, url: str) -> None:
        self.kind, self.url = kind, url
        self.queue = f"q{uuid.uuid4().hex[:12]}"
        self.settings = {"HORAE_ENGINE": "celery", "HORAE_BROKER_URL": url}

    def publish(self, *run_ids: str, priority: int = 5, queue: str | None = None) -> None:
        """As Horae does."""
        broker = Broker(self.url)
        connection = broker.connect()
        channel = open_channel(broker, connection)
        channel.publish([Claimable(run_id, queue or self.queue, priority) for run_id in run_ids])
        channel.close()

    def send(self, body: Any, **properties: Any) -> None:
        """Anything."""
        with Connection(self.url, transport_options=Broker(self.url).options) as connection:
            Broker(self.url).queue(queue_name(self.queue))(connection.default_channel).declare()
            connection.Producer().publish(body, exchange="", routing_key=queue_name(self.queue), **properties)

    def depth(self, queue: str | None = None) -> int:
        broker = Broker(self.url)
        channel = open_channel(broker, broker.connect())
        try:
            return channel.depth(queue or self.queue)
        finally:
            channel.close()

    def delete(self, queue: str | None = None) -> None:
        """With the messages in it."""
        name = queue_name(queue or self.queue)
        with Connection(self.url, transport_options=Broker(self.url).options) as connection:
            channel = connection.default_channel
            if self.kind == "redis":
                channel.client.delete(*(channel._q_for_pri(name, priority) for priority in range(10)))
            else:
                channel.queue_delete(name)


def shared(kind: str) -> BrokerUnderTest:
    """On the server that all tests share."""
    url = os.environ.get(f"HORAE_TEST_{kind.upper()}_URL")
    if url is None:
        lacking(f"no {kind}: start it with `tools/servers.py start {kind}`")
    return BrokerUnderTest(kind, url)
