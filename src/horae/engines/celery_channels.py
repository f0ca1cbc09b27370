"""Channels to a broker for publishing and measuring: what differs between RabbitMQ and Redis."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from horae.domain.runs.claimable import Claimable
from horae.engines.celery_broker import PATIENCE, Broker
from horae.engines.celery_message import CONTENT_TYPE, ENCODING, envelope, queue_name

_GLANCE = 1.0  # seconds; less than between two heartbeats


class Channel(Protocol):
    """What differs between brokers."""

    def publish(self, runs: Sequence[Claimable]) -> None:
        """Returns when all of them are confirmed."""
        ...

    def depth(self, queue: str) -> int: ...
    def check(self) -> None: ...
    def close(self) -> None: ...


def open_channel(broker: Broker, connection: Any) -> Channel:
    return RedisChannel(broker, connection) if broker.redis else AmqpChannel(broker, connection)


def _origin() -> str:
    return f"horae@{socket.gethostname()}"


class AmqpChannel:
    """Publisher confirms for a batch at a time: one by one, each would cost a round trip. A message for a queue that is
    gone comes back (`mandatory`): the queue is declared again."""

    def __init__(self, broker: Broker, connection: Any) -> None:
        self._broker, self._connection = broker, connection
        self._channel = connection.default_channel
        self._channel.confirm_select()
        self._channel.events["basic_ack"].add(self._acked)
        self._channel.events["basic_nack"].add(self._nacked)
        self._channel.events["basic_return"].add(self._came_back)
        self._declared: set[str] = set()
        self._tag = 0
        self._waiting: dict[int, Claimable] = {}
        self._refused = False
        self._returned: set[str] = set()
        self._from = _origin()

    def publish(self, runs: Sequence[Claimable]) -> None:
        self._send(runs)
        if self._returned:
            again = [run for run in runs if run.id in self._returned]
            self._declared.clear()
            self._returned.clear()
            self._send(again)
            if self._returned:
                raise ConnectionError("the broker has no queue for its messages, although it was just declared")

    def _send(self, runs: Sequence[Claimable]) -> None:
        for run in runs:
            name = queue_name(run.queue)
            if name not in self._declared:
                self._broker.queue(name)(self._channel).declare()
                self._declared.add(name)
            headers, properties, body = envelope(run.id, self._from)
            message = self._channel.prepare_message(
                body,
                priority=self._broker.priority(run.priority),
                content_type=CONTENT_TYPE,
                content_encoding=ENCODING,
                headers=headers,
                properties={**properties, "delivery_mode": 2},
            )
            self._tag += 1
            self._waiting[self._tag] = run
            self._channel.basic_publish(message, exchange="", routing_key=name, mandatory=True)
        self._await_confirms()

    def _await_confirms(self) -> None:
        until = time.monotonic() + 2 * PATIENCE
        while self._waiting:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError("the broker confirms nothing: it may have too little memory or disk space")
            # Briefly: heartbeats of the broker start the time-out of a longer wait again and again.
            with suppress(TimeoutError):
                self._connection.drain_events(timeout=min(left, _GLANCE))
        if self._refused:
            self._refused = False
            raise ConnectionError("the broker refused messages")

    def _acked(self, tag: int, multiple: bool) -> None:
        for one in [one for one in self._waiting if one <= tag] if multiple else [tag]:
            self._waiting.pop(one, None)

    def _nacked(self, tag: int, multiple: bool) -> None:
        self._refused = True
        self._acked(tag, multiple)

    def _came_back(self, error: Exception, exchange: str, routing_key: str, message: Any) -> None:
        self._returned.add(message.properties.get("correlation_id", ""))

    def depth(self, queue: str) -> int:
        name = queue_name(queue)
        self._declared.add(name)
        return int(self._broker.queue(name)(self._channel).queue_declare().message_count)

    def check(self) -> None:
        with suppress(TimeoutError):
            self._connection.drain_events(timeout=0.001)
        self._connection.heartbeat_check()

    def close(self) -> None:
        if not self._waiting:
            self._connection.release()
            return
        with suppress(AttributeError):  # it is closed already
            self._channel.connection.transport.close()  # without the handshake, which would wait for an answer


class RedisChannel:
    """Lists, as kombu has them: one for each queue and priority. All messages of a list are pushed at once; an answer
    of Redis is its confirmation."""

    def __init__(self, broker: Broker, connection: Any) -> None:
        self._broker, self._connection = broker, connection
        self._channel = connection.default_channel
        self._from = _origin()

    def publish(self, runs: Sequence[Claimable]) -> None:
        from kombu.utils.json import dumps

        lists: dict[str, list[str]] = {}
        for run in runs:
            name, priority = queue_name(run.queue), self._broker.priority(run.priority)
            headers, properties, body = envelope(run.id, self._from)
            message = self._channel.prepare_message(
                body.decode(),
                priority=priority,
                content_type=CONTENT_TYPE,
                content_encoding=ENCODING,
                headers=headers,
                properties={**properties, "delivery_mode": 2},
            )
            self._channel._inplace_augment_message(message, "", name)
            lists.setdefault(self._channel._q_for_pri(name, priority), []).append(dumps(message))
        with self._channel.conn_or_acquire() as client, client.pipeline(transaction=False) as pipe:
            for key, messages in lists.items():
                pipe.lpush(key, *messages)
            pipe.execute()

    def depth(self, queue: str) -> int:
        return int(self._channel._size(queue_name(queue)))

    def check(self) -> None:
        with self._channel.conn_or_acquire() as client:
            client.ping()

    def close(self) -> None:
        self._connection.release()
