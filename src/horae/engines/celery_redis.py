"""Receives messages for a worker from Redis. kombu pops one at a time and keeps a copy of each until it is
acknowledged, which is restored after an hour; here one command pops as many as the worker has room for. What dies with
a worker is still queued in the database, and published again much sooner."""

from __future__ import annotations

import threading
import time
from base64 import b64decode
from collections import deque
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson

from horae.engines.celery_broker import Broker
from horae.engines.celery_message import MalformedMessage, queue_name, run_id_of
from horae.engines.celery_receiver import UNUSED, Receiver
from horae.ports import RunMessage

_BLOCK = 1.0  # seconds that one command waits for messages


class Popped(NamedTuple):
    run_id: str
    key: bytes
    raw: bytes
    since: float


class RedisConsumer(Receiver):
    """See `Messages`. Popped is acknowledged: there is nothing left to do when a run has been claimed."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self._queues: tuple[str, ...] = ()
        self._wanted = 0
        self._inbox: deque[Popped] = deque()
        self._changed = threading.Condition()
        self._turn = 0

    # On the worker's loop

    def serve(self, queues: Collection[str]) -> None:
        with self._changed:
            self._queues = tuple(sorted(queues))
            self._changed.notify()

    def want(self, most: int) -> None:
        with self._changed:
            self._wanted = most
            self._changed.notify()

    def take(self, most: int) -> list[RunMessage]:
        with self._changed:
            taken: list[RunMessage] = [self._inbox.popleft() for _ in range(min(most, len(self._inbox)))]
            self._changed.notify()
            return taken

    def done(self, messages: Sequence[Any]) -> None:
        """They were popped."""

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify()

    # On its thread

    def _receive(self) -> None:
        client = self._broker.redis_client()
        try:
            client.ping()
            self._connected()
            while not self._stopping.is_set():
                self._step(client)
            self._give_back(client, 0.0)
        finally:
            client.close()

    def _step(self, client: Any) -> None:
        with self._changed:
            room, queues, wanted = self._wanted - len(self._inbox), self._queues, self._wanted
            if not (room > 0 and queues) and wanted:
                self._changed.wait(_BLOCK / 4)
            elif not self._inbox and not wanted:
                self._changed.wait(_BLOCK)
        self._give_back(client, UNUSED if wanted else 0.0)
        if room > 0 and queues:
            self._pop(client, queues, room)

    def _pop(self, client: Any, queues: Sequence[str], most: int) -> None:
        """The highest priority first; among equals, the queues take turns."""
        self._turn += 1
        first = self._turn % len(queues)
        names = [queue_name(queue) for queue in (*queues[first:], *queues[:first])]
        keys = [self._broker.redis_key(name, priority) for priority in range(9, -1, -1) for name in names]
        found = client.blmpop(_BLOCK, len(keys), *keys, direction="RIGHT", count=most)
        if found is None:
            return
        key, messages = found
        now = time.monotonic()
        for raw in messages:
            try:
                run_id = _read(raw)
            except MalformedMessage as fault:
                self._refuse(fault)
                continue
            with self._changed:
                self._inbox.append(Popped(run_id, key, raw, now))
        self._on_message()

    def _give_back(self, client: Any, after: float) -> None:
        """What has waited for that long: another worker may have room for it."""
        late = time.monotonic() - after
        while True:
            with self._changed:
                if not self._inbox or self._inbox[0].since > late:
                    return
                popped = self._inbox.pop() if after == 0 else self._inbox.popleft()
            client.rpush(popped.key, popped.raw)


def _read(raw: bytes) -> str:
    """The run that a message in kombu's form names."""
    try:
        message = orjson.loads(raw)
        body = message["body"]
        if message["properties"].get("body_encoding") == "base64":
            body = b64decode(body, validate=True)
        headers, content_type = message["headers"], message.get("content-type")
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError):
        raise MalformedMessage("not a message of kombu") from None
    if not isinstance(body, bytes | str):
        raise MalformedMessage("not a message of kombu")
    return run_id_of(headers, content_type, body)
