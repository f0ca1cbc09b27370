"""Receives messages for a worker from RabbitMQ, on a thread with kombu's event loop, as in Celery. Messages wait here
until the worker takes them, and are acknowledged when it has claimed their runs; those that it has no room for go back
to the broker, for other workers."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from horae.engines.celery_broker import Broker
from horae.engines.celery_message import MalformedMessage, queue_name, run_id_of
from horae.engines.celery_receiver import UNUSED, Receiver
from horae.ports import RunMessage


class Received(NamedTuple):
    run_id: str
    message: Any  # kombu's
    since: float


class AmqpConsumer(Receiver):
    """See `Messages`."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self._queues: frozenset[str] = frozenset()
        self._wanted = 0
        self._inbox: deque[Received] = deque()
        self._done: deque[Received] = deque()
        self._lock = threading.Lock()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._session: _Session | None = None

    # On the worker's loop

    def serve(self, queues: Collection[str]) -> None:
        if self._queues != (queues := frozenset(queues)):
            self._queues = queues
            self._wake()

    def want(self, most: int) -> None:
        """Small changes are not worth a round trip."""
        before = self._wanted
        if most == before or (most and before and before / 2 <= most <= 2 * before):
            return
        self._wanted = most
        self._wake()

    def take(self, most: int) -> list[RunMessage]:
        with self._lock:
            return [self._inbox.popleft() for _ in range(min(most, len(self._inbox)))]

    def done(self, messages: Sequence[Any]) -> None:
        self._done.extend(messages)
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it wakes up anyway
            self._wake_writer.send(b"\0")

    # On its thread

    def _receive(self) -> None:
        try:
            with self._broker.connect() as connection:
                self._connected()
                self._consume(connection)
        finally:
            self._session = None
            with self._lock:
                self._inbox.clear()  # the broker delivers them again, or the scheduler publishes them
            self._done.clear()

    def _consume(self, connection: Any) -> None:
        from kombu.asynchronous import Hub

        hub = Hub()
        session = self._session = _Session(self._broker, connection, hub, self._received)
        try:
            connection.register_with_event_loop(hub)
            hub.propagate_errors = (*connection.connection_errors, *connection.channel_errors)
            hub.add_reader(self._wake_reader.fileno(), self._woken)
            if connection.supports_heartbeats and connection.get_heartbeat_interval():
                hub.call_repeatedly(connection.get_heartbeat_interval() / 2, connection.heartbeat_check)
            hub.call_repeatedly(UNUSED, self._tick)
            self._apply(session)
            loop = hub.create_loop()
            while not self._stopping.is_set():
                next(loop)
            self._acknowledge(session)
            session.want(0)
            self._give_back(session, 0.0)
        finally:
            hub.close()

    def _woken(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_reader.recv(65_536)
        if self._session is not None:
            self._acknowledge(self._session)
            self._apply(self._session)

    def _tick(self) -> None:
        if self._session is not None:
            self._give_back(self._session, UNUSED)

    def _apply(self, session: _Session) -> None:
        session.serve(self._queues)
        session.want(self._wanted)
        if not self._wanted:
            self._give_back(session, 0.0)
        session.read_decrypted()

    def _acknowledge(self, session: _Session) -> None:
        done = [self._done.popleft().message for _ in range(len(self._done))]
        session.acknowledge(done)

    def _give_back(self, session: _Session, after: float) -> None:
        """What has waited for that long: another worker may have room for it."""
        late = time.monotonic() - after
        while True:
            with self._lock:
                if not self._inbox or self._inbox[0].since > late:
                    return
                received = self._inbox.popleft()
            session.settle(received.message)
            received.message.requeue()

    def _received(self, message: Any) -> None:
        try:
            run_id = run_id_of(message.headers, message.content_type, message.body)
        except MalformedMessage as fault:
            message.reject()  # without requeueing it: it would come back for ever
            self._refuse(fault)
            return
        if self._session is not None:
            self._session.open[message.delivery_tag] = None
        with self._lock:
            first = not self._inbox
            self._inbox.append(Received(run_id, message, time.monotonic()))
        if first:  # otherwise it has been called, and not everything was taken yet
            self._on_message()


class _Session:
    """What is consumed on one connection, as far as the broker knows."""

    def __init__(self, broker: Broker, connection: Any, hub: Any, on_message: Callable[[Any], None]) -> None:
        from kombu.messaging import Consumer as KombuConsumer

        self._broker = broker
        self._connection, self._hub = connection, hub
        self._channel = connection.channel()
        self._consumer = KombuConsumer(self._channel, on_message=on_message, accept=["json"], auto_declare=True)
        self._names: frozenset[str] = frozenset()
        self._wanted = 0
        self.open: dict[int, None] = {}  # the tags of messages that are neither acknowledged nor returned, in order

    def serve(self, queues: frozenset[str]) -> None:
        for queue in self._names - queues:
            self._consumer.cancel_by_queue(queue_name(queue))
        for queue in queues - self._names:
            self._consumer.add_queue(self._broker.queue(queue_name(queue)))
        if self._wanted and queues - self._names:
            self._consumer.consume()
        self._names = queues

    def want(self, most: int) -> None:
        """A prefetch count of 0 would mean no limit: then nothing is consumed at all."""
        if most == self._wanted:
            return
        if most:
            # For the whole channel: each queue is a consumer of its own.
            self._channel.basic_qos(0, most, True)
            if not self._wanted:
                self._consumer.consume()
        else:
            self._consumer.cancel()
        self._wanted = most

    def read_decrypted(self) -> None:
        """A message that came in one TLS record with the reply to a request is decrypted already: the selector would
        announce it only with the next record."""
        connection = self._connection.connection
        if isinstance(connection.sock, ssl.SSLSocket) and connection.sock.pending():
            self._hub.call_soon(self._connection.transport.on_readable, connection, self._hub)

    def settle(self, message: Any) -> None:
        self.open.pop(message.delivery_tag, None)

    def acknowledge(self, messages: Sequence[Any]) -> None:
        """With one frame up to the first that is still open; beyond it, each with its own. Messages of a connection
        that is gone are passed over."""
        done = {message.delivery_tag for message in messages if message.channel is self._channel} & self.open.keys()
        through = 0
        while self.open and (first := next(iter(self.open))) in done:
            del self.open[first]
            done.remove(first)
            through = first
        if through:
            self._channel.basic_ack(through, multiple=True)
        for tag in sorted(done):
            del self.open[tag]
            self._channel.basic_ack(tag)
