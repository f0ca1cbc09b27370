"""Receives messages for a worker from RabbitMQ, on a thread with kombu's event loop, as in Celery. Messages wait here
until the worker takes them, and are acknowledged when it has claimed their runs; those that it has no room for go back
to the broker, for other workers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import structlog

from horae.engines.celery_broker import Broker, reason
from horae.engines.celery_message import MalformedMessage, queue_name, run_id_of
from horae.ports import RunMessage

log = structlog.get_logger()

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 5.0  # seconds between two attempts to connect
_UNUSED = 1.0  # seconds that a message may wait here
_GOODBYE = 5.0  # seconds
_FAULTS_EVERY = 60.0  # seconds between two log lines about malformed messages


class Received(NamedTuple):
    run_id: str
    message: Any  # kombu's
    since: float


class AmqpConsumer:
    """See `Messages`."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._queues: frozenset[str] = frozenset()
        self._wanted = 0
        self._inbox: deque[Received] = deque()
        self._done: deque[Received] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._on_message: Callable[[], None] = lambda: None
        self._session: _Session | None = None
        self._fault_logged_at = -_FAULTS_EVERY
        self.trouble: str | None = None
        self.malformed = 0

    # On the worker's loop

    def start(self, on_message: Callable[[], None]) -> None:
        self._on_message = on_message
        self._thread = threading.Thread(target=self._run, name="horae consume", daemon=True)
        self._thread.start()

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

    async def close(self) -> None:
        self._stopping.set()
        self._wake()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, _GOODBYE)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it wakes up anyway
            self._wake_writer.send(b"\0")

    # On its thread

    def _run(self) -> None:
        pause = 0.0
        while not self._stopping.is_set():
            try:
                with self._broker.connect() as connection:
                    if self.trouble is not None:
                        log.info("the broker is back", broker=self._broker.address)
                    self.trouble, pause = None, 0.0
                    self._consume(connection)
            except Exception as error:
                if self.trouble is None:
                    log.warning("no messages from the broker", broker=self._broker.address, reason=reason(error))
                self.trouble = reason(error)
                self._on_message()  # so that the worker notices
                pause = min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
                self._stopping.wait(pause)
            finally:
                self._session = None
                with self._lock:
                    self._inbox.clear()  # the broker delivers them again, or the scheduler publishes them
                self._done.clear()

    def _consume(self, connection: Any) -> None:
        from kombu.asynchronous import Hub

        hub = Hub()
        session = self._session = _Session(self._broker, connection, self._received)
        try:
            connection.register_with_event_loop(hub)
            hub.propagate_errors = (*connection.connection_errors, *connection.channel_errors)
            hub.add_reader(self._wake_reader.fileno(), self._woken)
            if connection.supports_heartbeats and connection.get_heartbeat_interval():
                hub.call_repeatedly(connection.get_heartbeat_interval() / 2, connection.heartbeat_check)
            hub.call_repeatedly(_UNUSED, self._tick)
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
            self._give_back(self._session, _UNUSED)

    def _apply(self, session: _Session) -> None:
        session.serve(self._queues)
        session.want(self._wanted)
        if not self._wanted:
            self._give_back(session, 0.0)

    def _acknowledge(self, session: _Session) -> None:
        while self._done:
            session.acknowledge(self._done.popleft().message)

    def _give_back(self, session: _Session, after: float) -> None:
        """What has waited for that long: another worker may have room for it."""
        late = time.monotonic() - after
        while True:
            with self._lock:
                if not self._inbox or self._inbox[0].since > late:
                    return
                received = self._inbox.popleft()
            received.message.requeue()

    def _received(self, message: Any) -> None:
        try:
            run_id = run_id_of(message.headers, message.content_type, message.body)
        except MalformedMessage as fault:
            self._refuse(message, fault)
            return
        with self._lock:
            self._inbox.append(Received(run_id, message, time.monotonic()))
        self._on_message()

    def _refuse(self, message: Any, fault: MalformedMessage) -> None:
        """Without requeueing it: it would come back for ever."""
        message.reject()
        self.malformed += 1
        now = time.monotonic()
        if now - self._fault_logged_at >= _FAULTS_EVERY:
            self._fault_logged_at = now
            log.warning("rejected a message that is not one of Horae's", reason=str(fault), rejected=self.malformed)


class _Session:
    """What is consumed on one connection, as far as the broker knows."""

    def __init__(self, broker: Broker, connection: Any, on_message: Callable[[Any], None]) -> None:
        from kombu.messaging import Consumer as KombuConsumer

        self._broker = broker
        self._channel = connection.channel()
        self._consumer = KombuConsumer(self._channel, on_message=on_message, accept=["json"], auto_declare=True)
        self._names: frozenset[str] = frozenset()
        self._wanted = 0

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

    def acknowledge(self, message: Any) -> None:
        if message.channel is self._channel and not message.acknowledged:  # otherwise of a connection that is gone
            message.ack()
