"""Events to a real RabbitMQ and a real Redis."""

import asyncio
import json
from typing import Any

import pytest
from kombu.connection import Connection
from redis import Redis

from horae import config
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import ExchangeSink, OpenSink, StreamSink
from horae.wiring.sinks import EventSenders
from tests.integration.engines.broker import shared
from tests.integration.up.running import free_port

COUNT = 1_200


def events(project: str = "shop", count: int = COUNT) -> list[WireEvent]:
    kinds = ("run.queued", "run.started", "run.ended", "job.edited")
    return [
        WireEvent(f"e{n}", f"horae.{kind}", f"{project}.{kind}", json.dumps({"id": f"e{n}"}).encode())
        for n in range(count)
        for kind in [kinds[n % 4]]
    ]


def senders(**settings: str) -> EventSenders:
    return EventSenders(config.load({"HORAE_DATABASE_URL": "sqlite:////nowhere.db", **settings}))


def drained(channel: Any, queue: str) -> list[Any]:
    found = []
    while (message := channel.basic_get(queue, no_ack=True)) is not None:
        found.append(message)
    return found


@pytest.mark.rabbitmq
async def test_a_topic_exchange() -> None:
    broker = shared("rabbitmq")
    sending = senders(HORAE_EVENTS_AMQP_URL=broker.url)
    sink = OpenSink("s", ExchangeSink(kind="amqp", exchange=f"{broker.queue}.events"))
    assert (await sending.send(sink, events()[:1])).count == 1  # declares it
    with Connection(broker.url) as connection:
        channel: Any = connection.channel()
        for queue, binding in ((broker.queue, "shop.run.#"), (f"{broker.queue}.ended", "*.run.ended")):
            channel.queue_declare(queue, durable=True, auto_delete=False)
            channel.queue_bind(queue, f"{broker.queue}.events", binding)
        for project in ("shop", "lab"):
            shipped = await sending.send(sink, events(project))
            assert (shipped.count, shipped.sent.error) == (COUNT, None)
        found = drained(channel, broker.queue)
        assert [message.properties["message_id"] for message in found] == [f"e{n}" for n in range(COUNT) if n % 4 != 3]
        assert json.loads(found[0].body) == {"id": "e0"}
        properties = found[0].properties
        assert (properties["delivery_mode"], properties["type"], properties["content_type"]) == (
            2,
            "horae.run.queued",
            "application/cloudevents+json",
        )
        assert len(drained(channel, f"{broker.queue}.ended")) == COUNT // 2
        channel.exchange_delete(f"{broker.queue}.events")
        again = await sending.send(sink, events()[:1])
        assert (again.count, "events" in str(again.sent.error)) == (0, True)  # the channel is closed by the broker
        assert (await sending.send(sink, events()[:1])).count == 1  # and declared once more
        channel.exchange_delete(f"{broker.queue}.events")
        channel.queue_delete(broker.queue)
        channel.queue_delete(f"{broker.queue}.ended")
    await sending.close()


@pytest.mark.redis
async def test_a_stream() -> None:
    broker = shared("redis")
    sending = senders(HORAE_EVENTS_REDIS_URL=broker.url)
    sink = OpenSink("s", StreamSink(kind="redis", stream=broker.queue, max_length=300))
    shipped = await sending.send(sink, events())
    assert (shipped.count, shipped.sent.error) == (COUNT, None)
    client: Any = Redis.from_url(broker.url)
    found = await asyncio.to_thread(client.xrange, broker.queue)
    assert 300 <= len(found) < COUNT
    assert [fields[b"id"].decode() for _, fields in found] == [f"e{n}" for n in range(COUNT - len(found), COUNT)]
    assert {name.decode() for name in found[0][1]} == {"id", "type", "key", "event"}
    assert json.loads(found[-1][1][b"event"]) == {"id": f"e{COUNT - 1}"}
    client.delete(broker.queue)
    client.set(broker.queue, "something else")
    refused = await sending.send(sink, events()[:1])
    assert (refused.count, "WRONGTYPE" in str(refused.sent.error)) == (0, True)
    client.delete(broker.queue)
    await sending.close()


@pytest.mark.parametrize(
    ("sink", "name", "scheme"),
    [(ExchangeSink(kind="amqp"), "AMQP", "amqp"), (StreamSink(kind="redis"), "REDIS", "redis")],
)
async def test_a_broker_that_is_unknown_or_away(sink: Any, name: str, scheme: str) -> None:
    unknown = await senders().send(OpenSink("s", sink), events()[:1])
    assert (unknown.count, f"HORAE_EVENTS_{name}_URL" in str(unknown.sent.error)) == (0, True)
    away = senders(**{f"HORAE_EVENTS_{name}_URL": f"{scheme}://horae:averysecretword@127.0.0.1:{free_port()}/0"})
    for _ in range(2):
        shipped = await away.send(OpenSink("s", sink), events()[:1])
        assert shipped.count == 0
        assert shipped.sent.error
        assert "averysecretword" not in shipped.sent.error
    await away.close()
