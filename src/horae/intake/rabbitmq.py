"""A queue of RabbitMQ, by kombu. Its client blocks, so all of it happens in one thread.

Invalid messages are published to the dead-letter queue, confirmed by the broker, before they are acknowledged."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, TypeVar

from amqp import Message as AmqpMessage
from amqp.exceptions import AccessRefused, AMQPError, MessageNacked, NotFound, PreconditionFailed
from kombu.connection import Connection

from horae.domain.errors import BrokerUnavailable
from horae.intake.address import Address
from horae.intake.source import DEAD_LIMIT, BrokerRefused, DeadMessage, IntakeMessage

REASON = "x-horae-reason"
_HEARTBEAT = 30  # seconds
_PATIENCE = 10.0  # seconds for an answer
_LOOK = 0.05  # seconds for which the thread waits for messages before it does something else

T = TypeVar("T")


class RabbitQueue:
    def __init__(self, address: Address, prefetch: int) -> None:
        self._at, self._prefetch = address, prefetch
        self._thread = ThreadPoolExecutor(1, "rabbitmq")
        self._connection: Connection | None = None
        self._channel: Any = None
        self._arrived: list[Any] = []
        self._open: dict[int, None] = {}  # delivery tags, in order
        self._epoch = 0  # of the connection: delivery tags belong to it
        self.name = f"queue:{address.name}"

    async def connect(self) -> None:
        await self._do(self._connect)

    async def take(self, limit: int, wait: float) -> list[IntakeMessage]:
        return await self._do(lambda: self._take(limit, wait))

    async def settle(self, done: Sequence[IntakeMessage], dead: Sequence[DeadMessage]) -> None:
        await self._do(lambda: self._settle(done, dead))

    async def tend(self) -> None:
        await self._do(self._tend)

    async def close(self) -> None:
        await self._do(self._disconnect)
        self._thread.shutdown(wait=False)

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # ---- in the thread

    def _connect(self) -> None:
        self._disconnect()
        with _in_our_words():
            connection = Connection(
                self._at.url,
                heartbeat=_HEARTBEAT,
                connect_timeout=_PATIENCE,
                ssl=_tls(self._at) if self._at.tls else False,
            )
            self._connection = connection
            connection.connect()
            _declare(connection, self._at.name, {})
            self._declare_dead(connection)
            self._channel = connection.channel()
            self._channel.basic_qos(0, self._prefetch, False)
            self._channel.basic_consume(self._at.name, callback=self._arrived.append)
        self._epoch += 1

    def _declare_dead(self, connection: Connection) -> None:
        _declare(connection, self._at.dead, {"x-max-length": DEAD_LIMIT})

    def _disconnect(self) -> None:
        connection, self._connection, self._channel = self._connection, None, None
        self._arrived.clear()
        self._open.clear()
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _take(self, limit: int, wait: float) -> list[IntakeMessage]:
        with self._connected() as connection:
            deadline = monotonic() + wait
            while len(self._arrived) < limit:
                left = deadline - monotonic()
                pause = 0.0 if self._arrived else max(0.0, min(left, _LOOK))
                try:
                    connection.drain_events(timeout=pause or 0.0001)
                except TimeoutError:
                    if self._arrived or left <= 0:
                        break
                    connection.heartbeat_check()
            found = self._arrived[:limit]
            del self._arrived[:limit]
            return [self._message(one) for one in found]

    def _message(self, found: Any) -> IntakeMessage:
        body = found.body
        self._open[found.delivery_tag] = None
        raw = body.encode() if isinstance(body, str) else bytes(body)
        return IntakeMessage(raw, found.properties.get("message_id"), (self._epoch, found.delivery_tag, found))

    def _settle(self, done: Sequence[IntakeMessage], dead: Sequence[DeadMessage]) -> None:
        with self._connected() as connection:
            if dead:  # what is published to a queue that was deleted is lost
                self._declare_dead(connection)
            for message, reason in dead:
                self._bury(message, reason)
            settled = (*done, *(one.message for one in dead))
            tags = [tag for epoch, tag, _ in (message.tag for message in settled) if epoch == self._epoch]
            self._acknowledge(sorted(tags))

    def _acknowledge(self, tags: list[int]) -> None:
        if not tags:
            return
        first = [tag for tag, _ in zip(self._open, tags, strict=False)]
        for tag in tags:
            self._open.pop(tag, None)
        if first == tags:  # nothing before the last of them is left
            self._channel.basic_ack(tags[-1], multiple=True)
            return
        for tag in tags:
            self._channel.basic_ack(tag)

    def _bury(self, message: IntakeMessage, reason: str) -> None:
        found = message.tag[2]
        headers = {**(found.properties.get("application_headers") or {}), REASON: reason}
        kept = {name: found.properties[name] for name in ("message_id", "content_type") if name in found.properties}
        letter = AmqpMessage(message.body, application_headers=headers, delivery_mode=2, **kept)
        self._channel.basic_publish_confirm(letter, "", self._at.dead, confirm_timeout=_PATIENCE)

    def _tend(self) -> None:
        with self._connected() as connection:
            connection.heartbeat_check()
            with suppress(TimeoutError):
                connection.drain_events(timeout=0.0001)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        if self._connection is None:
            raise BrokerUnavailable("the connection to RabbitMQ is closed")
        with _in_our_words():
            yield self._connection


def _declare(connection: Connection, queue: str, arguments: dict[str, Any]) -> None:
    """A queue that exists stays as it is, whatever its type and arguments are."""
    channel: Any = connection.channel()
    try:
        channel.queue_declare(queue, passive=True)
    except NotFound:
        channel = connection.channel()
        channel.queue_declare(queue, durable=True, auto_delete=False, arguments=arguments)
    channel.close()


def _tls(address: Address) -> dict[str, Any]:
    """The certificate is always verified: by `ca`, or by what the system trusts."""
    trusted = address.ca or ssl.get_default_verify_paths().cafile
    return {"cert_reqs": ssl.CERT_REQUIRED, "ca_certs": trusted, "server_hostname": None}  # None: as in the URL


@contextmanager
def _in_our_words() -> Iterator[None]:
    try:
        yield
    except (AccessRefused, PreconditionFailed, NotFound) as error:
        raise BrokerRefused(f"RabbitMQ refuses: {error.reply_text or error}") from None
    except (AMQPError, MessageNacked, OSError) as error:
        raise BrokerUnavailable(f"RabbitMQ cannot be reached: {error}") from None
