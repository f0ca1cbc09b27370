"""Channels to a broker for publishing and measuring: what differs between RabbitMQ and Redis."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Protocol

from horae.domain.runs.claimable import Claimable
from horae.domain.text.ids import is_id
from horae.engines.celery_broker import PATIENCE, Broker
from horae.engines.celery_message import queue_name
from horae.engines.celery_template import AmqpTemplate, RedisTemplate

_GLANCE = 1.0  # seconds; less than between two heartbeats
_TEMPLATES = 1_000  # queues and priorities that are remembered


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
    """A batch is written at once and confirmed at once: one by one, each message would cost system calls and a round
    trip. A message for a queue that is gone comes back (`mandatory`): the queue is declared again."""

    def __init__(self, broker: Broker, connection: Any) -> None:
        self._broker, self._connection = broker, connection
        self._channel = connection.default_channel
        self._channel.confirm_select()
        self._channel.events["basic_ack"].add(self._acked)
        self._channel.events["basic_nack"].add(self._nacked)
        self._channel.events["basic_return"].add(self._came_back)
        self._declared: set[str] = set()
        self._tag = 0
        self._waiting: dict[int, None] = {}  # the tags of messages that are not confirmed yet, in order
        self._refused = False
        self._returned: set[str] = set()
        self._template = lru_cache(_TEMPLATES)(self._made)
        self._from = _origin()

    def _made(self, queue: str, priority: int) -> AmqpTemplate:
        return AmqpTemplate(self._channel, queue_name(queue), self._broker.priority(priority), self._from)

    def publish(self, runs: Sequence[Claimable]) -> None:
        runs = [run for run in runs if is_id(run.id)]  # no worker takes a message that names anything else
        self._send(runs)
        if self._returned:
            again = [run for run in runs if run.id in self._returned]
            self._declared.clear()
            self._returned.clear()
            self._send(again)
            if self._returned:
                raise ConnectionError("the broker has no queue for its messages, although it was just declared")

    def _send(self, runs: Sequence[Claimable]) -> None:
        for name in {queue_name(run.queue) for run in runs} - self._declared:
            self._broker.queue(name)(self._channel).declare()
            self._declared.add(name)
        frames = [self._template(run.queue, run.priority).of(run.id) for run in runs]
        if (connection := self._channel.connection) is None:
            raise ConnectionError("the broker has closed the connection")
        self._waiting |= dict.fromkeys(range(self._tag + 1, self._tag + len(runs) + 1))
        self._tag += len(runs)
        connection.transport.write(b"".join(frames))
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
        self._waiting.pop(tag, None)
        while multiple and self._waiting and (first := next(iter(self._waiting))) < tag:
            del self._waiting[first]

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
        self._template = lru_cache(_TEMPLATES)(self._made)
        self._from = _origin()

    def _made(self, queue: str, priority: int) -> tuple[str, RedisTemplate]:
        """And the list that its messages are in."""
        name, step = queue_name(queue), self._broker.priority(priority)
        return self._channel._q_for_pri(name, step), RedisTemplate(self._channel, name, step, self._from)

    def publish(self, runs: Sequence[Claimable]) -> None:
        lists: dict[str, list[str]] = {}
        for run in runs:
            key, template = self._template(run.queue, run.priority)
            lists.setdefault(key, []).append(template.of(run.id))
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
