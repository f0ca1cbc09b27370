"""Messages on the broker, as kombu reads them; and acknowledging many at once."""

import uuid
from typing import Any

import pytest
from kombu.connection import Connection

from horae.domain.runs.claimable import Claimable
from horae.engines.celery_broker import Broker
from horae.engines.celery_channels import open_channel
from horae.engines.celery_consumer import AmqpConsumer
from horae.engines.celery_message import envelope, queue_name
from tests.integration.engines.broker import BrokerUnderTest, shared
from tests.waiting import until


def read(broker: BrokerUnderTest, count: int) -> list[Any]:
    """With kombu, the most urgent first."""
    with Connection(broker.url, transport_options=Broker(broker.url).options) as connection:
        queue = Broker(broker.url).queue(queue_name(broker.queue))(connection.default_channel)
        return [queue.get(no_ack=True) for _ in range(count)]


def test_every_message_is_what_its_own_run_says(broker: BrokerUnderTest) -> None:
    """They are copies of one, for each queue and priority."""
    runs = [Claimable(str(uuid.uuid4()), broker.queue, priority) for priority in (9, 9, 9, 3, 3)]
    broker_itself = Broker(broker.url)
    channel = open_channel(broker_itself, broker_itself.connect())
    channel.publish(runs)
    channel.publish([Claimable(str(uuid.uuid4()), f"{broker.queue}-other", 9)])
    channel.close()
    broker.delete(f"{broker.queue}-other")
    found = read(broker, 6)
    assert found.pop() is None
    for run, message in zip(runs, found, strict=True):
        expected = envelope(run.id, message.headers["origin"])
        assert dict(message.headers) == expected.headers
        assert message.payload == [[run.id], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
        assert message.properties["correlation_id"] == run.id
        assert message.properties["delivery_mode"] == 2
        assert message.properties["priority"] == broker_itself.priority(run.priority)
        assert message.delivery_info["routing_key"] == queue_name(broker.queue)
    assert len({message.delivery_tag for message in found}) == len(runs)


@pytest.mark.rabbitmq
async def test_what_is_done_is_acknowledged_and_nothing_else() -> None:
    """Together up to the first that is not done, and one by one beyond it; the others come again."""
    broker = shared("rabbitmq")
    broker.publish(*(str(uuid.uuid4()) for _ in range(10)))
    consumer = AmqpConsumer(Broker(broker.url))
    consumer.serve([broker.queue])
    consumer.want(100)
    taken: list[Any] = []

    def all_there() -> bool:
        taken.extend(consumer.take(100))
        return len(taken) == 10

    try:
        consumer.start(lambda: None)
        await until(all_there)
        consumer.done([*taken[:4], taken[5], taken[8]])
    finally:
        await consumer.close()
    left = [taken[n].run_id for n in (4, 6, 7, 9)]
    await until(lambda: broker.depth() == len(left))
    assert [message.properties["correlation_id"] for message in read(broker, len(left))] == left
    broker.delete()
