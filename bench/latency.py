"""Latency: how long after someone asks for a run its function begins, while the worker has nothing else to do.

The function itself reports when it began, by the clock that all processes of a machine share; it starts before the
call that asks."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from socket import AF_UNIX, SOCK_DGRAM, socket

from bench import queue
from bench.figure import Figure, percentile
from bench.http import api
from bench.options import Options
from bench.place import Place, fresh, server_url
from bench.process import horae
from bench.tasks import STAMPS
from horae import wiring

Ask = Callable[[], Awaitable[str]]
"""Asks for a run; its id."""

POLLED = 30  # samples where there are no hints, since each takes a second
SETTLE = 2.0


class Stamps:
    """Receives the times at which functions began."""

    def __init__(self, place: Place) -> None:
        self.path = str(place.folder / "stamps")
        self._socket = socket(AF_UNIX, SOCK_DGRAM)
        self._socket.bind(self.path)
        self._socket.setblocking(False)
        self._heard: dict[str, int] = {}
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def _read(self) -> None:
        run_id, began = self._socket.recv(200).decode().split()
        self._heard[run_id] = int(began)
        self._news.set()

    async def of(self, run_id: str, seconds: float = 30) -> int:
        async with asyncio.timeout(seconds):
            while run_id not in self._heard:
                self._news.clear()
                await self._news.wait()
        return self._heard.pop(run_id)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


async def measure(kind: str, options: Options) -> list[Figure]:
    """Straight to the store, as an embedded client does, then through the API."""
    figures: list[Figure] = []
    redis = server_url("redis") if options.wakeups == "redis" else None
    hinted = kind != "mysql" or redis is not None
    count = options.triggers if hinted else min(POLLED, options.triggers)
    async with fresh(kind) as database, worker(place := replace(database, wakeups=redis)) as stamps:
        async with straight(place) as ask:
            figures += _figures("trigger to start", place, await sample(stamps, ask, count), hinted, (4, 10))
        if hinted:
            async with _through_api(place) as ask:
                samples = await sample(stamps, ask, count)
            figures += _figures("trigger to start, by the API", place, samples, hinted, (8, None))
    return figures


@asynccontextmanager
async def worker(place: Place) -> AsyncIterator[Stamps]:
    stamps = Stamps(place)
    try:
        async with horae(place, "worker", "--import", "bench.tasks", **{STAMPS: stamps.path}):
            await asyncio.sleep(SETTLE)
            yield stamps
    finally:
        stamps.close()


@asynccontextmanager
async def straight(place: Place, queue_name: str = "default") -> AsyncIterator[Ask]:
    wakeups = wiring.wakeups_for(place.settings())
    await wakeups.start((), lambda _: None)
    try:
        async with place.store(wakeups) as store:
            job = await queue.manual_job(store, "stamp", queue_name)

            async def ask() -> str:
                (run_id,) = await queue.trigger(store, job)
                return run_id

            yield ask
    finally:
        await wakeups.close()


@asynccontextmanager
async def _through_api(place: Place) -> AsyncIterator[Ask]:
    async with api(place) as (_, connect):
        client = await connect()

        async def ask() -> str:
            answer = await client.call("POST", "/api/v1/jobs/bench%20stamp/run", {})
            return str(answer["id"])

        yield ask
        await client.close()


async def sample(stamps: Stamps, ask: Ask, count: int) -> list[float]:
    """Milliseconds, one trigger after the other; the first few are not counted."""
    chance = random.Random(7)
    samples = []
    for _ in range(count + 5):
        before = time.monotonic_ns()
        run_id = await ask()
        samples.append((await stamps.of(run_id) - before) / 1e6)
        await asyncio.sleep(chance.uniform(0.02, 0.06))
    return samples[5:]


def _figures(
    name: str, place: Place, samples: list[float], hinted: bool, targets: tuple[float, float | None]
) -> list[Figure]:
    name += ", wake-ups by Redis" if place.wakeups else ""
    p50, p99 = percentile(samples, 50), percentile(samples, 99)
    if not hinted:
        return [
            Figure(f"{name}, p50 (polling)", place.title, (p50,), "ms", less=True),
            Figure(f"{name}, p99 (polling)", place.title, (p99,), "ms", less=True),
        ]
    floor = 10 if place.kind == "mysql" else 20  # only with wake-ups by Redis
    return [
        Figure(f"{name}, p50", place.title, (p50,), "ms", floor, targets[0], less=True),
        Figure(f"{name}, p99", place.title, (p99,), "ms", 100, targets[1], less=True),
    ]
