"""Intake: how many requests per second one `horae intake` takes from a broker and commits."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from amqp import Message
from kombu.connection import Connection
from redis.asyncio import Redis

from bench import queue
from bench.figure import Figure
from bench.options import Options
from bench.place import Place, fresh, server_url, until
from bench.process import horae
from horae import wiring
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import HttpTarget

TARGET = 5_000.0
_AT_A_TIME = 1_000


async def measure(kind: str, options: Options) -> list[Figure]:
    return [
        *await _one(kind, options, "RabbitMQ", "rabbitmq", "queue", _to_rabbitmq),
        *await _one(kind, options, "Redis list", "redis", "list", _to_list),
        *await _one(kind, options, "Redis stream", "redis", "stream", _to_stream),
    ]


Fill = Callable[[str, str, int], Awaitable[None]]


async def _one(kind: str, options: Options, title: str, broker: str, what: str, fill: Fill) -> list[Figure]:
    """From when the intake is ready until every request is a run; the requests are there before."""
    server, name = server_url(broker), f"horae-bench-{uuid4().hex[:12]}"
    async with fresh(kind) as place:
        async with place.store() as store:
            await queue.job(store, JobSpec(name="mail", target=HttpTarget(url="http://127.0.0.1:9/")))
        made = await asyncio.to_thread(wiring.create_key, place.settings(), name="intake", role="operator")
        await fill(server, name, options.runs)
        secret = {"HORAE_INTAKE_KEY": made["token"], "HORAE_RUN_LOG": "0"}
        async with horae(place, "intake", "--source", f"{server}?{what}={name}", **secret) as process:
            began, used = time.perf_counter(), process.cpu()
            await until(lambda: _all(place, options.runs), seconds=120)
            seconds = time.perf_counter() - began
            used = process.cpu() - used
    await _clean(server, what, name)
    return [
        Figure(f"intake from {title}", place.title, (options.runs / seconds,), "requests/s", TARGET),
        Figure(f"intake from {title}: CPU", place.title, (used / options.runs * 1e6,), "µs/request"),
    ]


async def _all(place: Place, count: int) -> bool:
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM runs")
    return bool(row["n"] >= count)


def _request(n: int) -> bytes:
    return json.dumps({"op": "trigger", "job": "mail", "input": {"order": n, "mail": f"{n}@example.com"}}).encode()


async def _to_list(server: str, name: str, count: int) -> None:
    async with Redis.from_url(server) as redis:
        for start in range(0, count, _AT_A_TIME):
            await redis.lpush(name, *(_request(n) for n in range(start, start + _AT_A_TIME)))


async def _to_stream(server: str, name: str, count: int) -> None:
    async with Redis.from_url(server) as redis:
        for start in range(0, count, _AT_A_TIME):
            pipe: Any = redis.pipeline(transaction=False)
            for n in range(start, start + _AT_A_TIME):
                pipe.xadd(name, {"request": _request(n)})
            await pipe.execute()


async def _to_rabbitmq(server: str, name: str, count: int) -> None:
    def publish() -> None:
        with Connection(server) as connection:
            channel = connection.channel()
            channel.queue_declare(name, durable=True, auto_delete=False)
            for n in range(count):
                message = Message(_request(n), message_id=f"order-{n}", content_type="application/json")
                channel.basic_publish(message, "", name)
            channel.close()  # answered after everything that was sent before

    await asyncio.to_thread(publish)


async def _clean(server: str, what: str, name: str) -> None:
    if what == "queue":
        with Connection(server) as connection:
            for queue_name in (name, f"{name}.dead"):
                connection.channel().queue_delete(queue_name)
        return
    async with Redis.from_url(server) as redis:
        if keys := [key async for key in redis.scan_iter(f"{name}*")]:
            await redis.delete(*keys)
