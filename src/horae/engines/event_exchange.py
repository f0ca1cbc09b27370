"""Sinks of kind `amqp`: events to a topic exchange of RabbitMQ, persistent, confirmed by the broker. kombu blocks, so
all of it happens in one thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from horae.domain.sinks.sending import WireEvent
from horae.engines.celery_broker import PATIENCE, Broker

CONTENT_TYPE = "application/cloudevents+json"
_GLANCE = 1.0  # seconds; less than between two heartbeats


class EventExchange:
    """Connects when there is something to publish. A connection that fails is dropped."""

    def __init__(self, url: str) -> None:
        self._broker = Broker(url, "a sink of kind amqp")
        self._thread = ThreadPoolExecutor(1, "events amqp")
        self._connection: Any = None
        self._channel: Any = None
        self._declared: set[str] = set()
        self._tag = 0
        self._waiting: set[int] = set()
        self._refused = False

    async def publish(self, exchange: str, events: Sequence[WireEvent]) -> None:
        """Returns when the broker has confirmed all of them."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._publish, exchange, events)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    # ---- in the thread

    def _publish(self, exchange: str, events: Sequence[WireEvent]) -> None:
        try:
            self._connect()
            self._declare(exchange)
            for event in events:
                self._tag += 1
                self._waiting.add(self._tag)
                self._channel.basic_publish(self._message(event), exchange=exchange, routing_key=event.key)
            self._await_confirms()
        except BaseException:
            self._disconnect()
            raise

    def _connect(self) -> None:
        if self._connection is not None:
            with suppress(TimeoutError):  # what the broker said in the meantime, such as that it is leaving
                self._connection.drain_events(timeout=0.001)
            return
        self._connection = self._broker.connect()
        self._channel = self._connection.default_channel
        self._channel.confirm_select()
        self._channel.events["basic_ack"].add(self._acked)
        self._channel.events["basic_nack"].add(self._nacked)
        self._declared.clear()
        self._waiting.clear()
        self._tag, self._refused = 0, False

    def _declare(self, exchange: str) -> None:
        """One that exists stays as it is, whatever its type is."""
        if exchange in self._declared:
            return
        from amqp.exceptions import NotFound

        trying = self._connection.channel()
        try:
            trying.exchange_declare(exchange, "topic", passive=True)
        except NotFound:
            trying = self._connection.channel()
            trying.exchange_declare(exchange, "topic", durable=True, auto_delete=False)
        trying.close()
        self._declared.add(exchange)

    def _message(self, event: WireEvent) -> Any:
        return self._channel.prepare_message(
            event.body,
            content_type=CONTENT_TYPE,
            content_encoding="utf-8",
            properties={"delivery_mode": 2, "message_id": event.id, "type": event.type},
        )

    def _await_confirms(self) -> None:
        until = time.monotonic() + 2 * PATIENCE
        while self._waiting:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError("the broker confirms nothing: it may have too little memory or disk space")
            with suppress(TimeoutError):
                self._connection.drain_events(timeout=min(left, _GLANCE))
        if self._refused:
            raise ConnectionError("the broker refused messages")

    def _acked(self, tag: int, multiple: bool) -> None:
        self._waiting -= {one for one in self._waiting if one <= tag} if multiple else {tag}

    def _nacked(self, tag: int, multiple: bool) -> None:
        self._refused = True
        self._acked(tag, multiple)

    def _disconnect(self) -> None:
        connection, self._connection, self._channel = self._connection, None, None
        if connection is None:
            return
        with suppress(Exception):
            if self._waiting:  # without the handshake, which a broker that confirms nothing would not answer
                connection.transport.close_connection(connection.connection)
            connection.release()
