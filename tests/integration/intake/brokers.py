"""Sources for tests: a queue, list or stream of a real broker that no other test uses, and a look into it."""

import asyncio
import json
import os
import uuid
from typing import Any, NamedTuple

import pytest
from amqp import Message
from amqp.exceptions import NotFound
from kombu.connection import Connection
from redis.asyncio import Redis

from tests.lacking import lacking

EACH = [
    pytest.param("queue", marks=pytest.mark.rabbitmq),
    pytest.param("list", marks=pytest.mark.redis),
    pytest.param("stream", marks=pytest.mark.redis),
]


class Letter(NamedTuple):
    body: bytes
    reason: str


class SourceUnderTest:
    def __init__(self, kind: str) -> None:
        broker = "rabbitmq" if kind == "queue" else "redis"
        server = os.environ.get(f"HORAE_TEST_{broker.upper()}_URL")
        if server is None:
            lacking(f"no {broker}: start it with `tools/servers.py start {broker}`")
        self.kind, self.server, self.name = kind, server, f"intake-{uuid.uuid4().hex[:12]}"
        self.dead_name = f"{self.name}.dead" if kind == "queue" else f"{self.name}:dead"

    @property
    def url(self) -> str:
        return self.at(self.server)

    def at(self, server: str) -> str:
        return f"{server}?{self.kind}={self.name}" + ("" if self.kind == "queue" else "&recover=1")

    async def send(self, *requests: Any, ids: bool = True) -> None:
        """Objects are sent as JSON, bytes as they are."""
        bodies = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in requests]
        if self.kind == "queue":
            await asyncio.to_thread(self._publish, bodies, ids)
            return
        async with Redis.from_url(self.server) as redis:
            for body in bodies:
                await (
                    redis.lpush(self.name, body) if self.kind == "list" else redis.xadd(self.name, {"request": body})
                )

    def _publish(self, bodies: list[bytes], ids: bool) -> None:
        with Connection(self.server) as connection:
            channel: Any = connection.channel()
            channel.queue_declare(self.name, durable=True, auto_delete=False)
            for body in bodies:
                given = {"message_id": uuid.uuid4().hex} if ids else {}
                channel.basic_publish(Message(body, **given), "", self.name)
            channel.close()

    async def waiting(self) -> int:
        """How many are not settled; of a queue, those that no one has taken."""
        if self.kind == "queue":
            return await asyncio.to_thread(self._ready)
        async with Redis.from_url(self.server) as redis:
            if self.kind == "list":
                taken = [await redis.hlen(key) async for key in redis.scan_iter(f"{self.name}:taken:*")]
                return sum(taken) + int(await redis.llen(self.name))
            groups: Any = await redis.xinfo_groups(self.name)
            return int(groups[0]["pending"]) + int(groups[0]["lag"]) if groups else int(await redis.xlen(self.name))

    def _ready(self) -> int:
        with Connection(self.server) as connection:
            channel: Any = connection.channel()
            return int(channel.queue_declare(self.name, passive=True).message_count)

    async def dead(self) -> list[Letter]:
        if self.kind == "queue":
            return await asyncio.to_thread(self._buried)
        async with Redis.from_url(self.server) as redis:
            if self.kind == "list":
                letters = [json.loads(text) for text in reversed(await redis.lrange(self.dead_name, 0, -1))]
                return [Letter(one["request"].encode(), one["reason"]) for one in letters]
            entries: Any = await redis.xrange(self.dead_name)
            return [Letter(fields[b"request"], fields[b"reason"].decode()) for _, fields in entries]

    def _buried(self) -> list[Letter]:
        """They stay there: what is not acknowledged goes back."""
        letters = []
        with Connection(self.server) as connection:
            channel: Any = connection.channel()
            try:
                while found := channel.basic_get(self.dead_name):
                    body = found.body.encode() if isinstance(found.body, str) else bytes(found.body)
                    letters.append(Letter(body, found.properties["application_headers"]["x-horae-reason"]))
            except NotFound:
                return []
        return letters

    async def clean(self) -> None:
        if self.kind == "queue":
            await asyncio.to_thread(self._delete)
            return
        async with Redis.from_url(self.server) as redis:
            if keys := [key async for key in redis.scan_iter(f"{self.name}*")]:
                await redis.delete(*keys)

    def _delete(self) -> None:
        with Connection(self.server) as connection:
            for name in (self.name, self.dead_name):
                channel: Any = connection.channel()
                channel.queue_delete(name)
