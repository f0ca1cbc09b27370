"""Engine: runs that a broker carries. How long the scheduler takes to publish what is queued once more, how fast one
`horae worker --engine celery` carries it out beside a worker of bare Celery on the same broker, and how long after a
trigger a run starts."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import psutil

from bench import bare_celery, drain, latency, queue
from bench.figure import Figure, percentile
from bench.options import Options
from bench.place import TITLES, Place, fresh, server_url, until
from bench.process import PROJECT, cpu, horae
from bench.tasks import STAMPS
from horae.engines.celery_broker import Broker
from horae.engines.celery_channels import Channel, open_channel
from horae.engines.celery_message import queue_name

AGAIN = 30.0  # seconds for 100,000 runs
BARE = {"solo": 1, "threads": 8}  # pools of bare Celery in one process, and their concurrency
_PATIENCE = 600.0  # seconds


async def measure(kind: str, options: Options) -> list[Figure]:
    figures: list[Figure] = []
    for broker in ("rabbitmq", "redis"):
        url = server_url(broker)
        async with fresh(kind) as database:
            figures += await _carried(replace(database, broker=url), TITLES[broker], options)
    return figures


async def _carried(place: Place, title: str, options: Options) -> list[Figure]:
    assert place.broker
    async with _queue(place.broker) as name:
        async with place.store() as store:
            await queue.fill(store, await queue.manual_job(store, "nothing", name), options.published)
        seconds, used = await _published_again(place, name, options.published)
        rate, worker_cpu = await _drained(place, options)
        bare = [await _bare(place, pool, options.runs) for pool in BARE]
        samples = await _latency(place, name, options)
    best = max(bare)
    each = 1e6 / options.published
    return [
        Figure(f"drain through {title}, {options.slots} slots", place.title, (rate,), "runs/s"),
        Figure(f"drain through {title}: worker CPU", place.title, (worker_cpu * each,), "µs/run"),
        Figure(f"bare Celery on {title}", "one process", (best[0],), "tasks/s"),
        Figure(f"bare Celery on {title}: CPU", "one process", (best[1],), "µs/task"),
        Figure(f"Horae ÷ bare Celery on {title}", place.title, (rate / best[0],), "×", 0.6, 1.0),
        Figure(
            f"{options.published:,} runs published again to {title}",
            place.title,
            (seconds,),
            "s",
            AGAIN * options.published / 100_000,
            less=True,
        ),
        Figure(f"published again to {title}: scheduler CPU", place.title, (used * each,), "µs/run"),
        Figure(f"trigger to start through {title}, p50", place.title, (percentile(samples, 50),), "ms", 20, less=True),
        Figure(f"trigger to start through {title}, p99", place.title, (percentile(samples, 99),), "ms", less=True),
    ]


@asynccontextmanager
async def _queue(url: str) -> AsyncIterator[str]:
    """One that no one else uses."""
    name = f"bench-{uuid4().hex[:12]}"
    try:
        yield name
    finally:
        _deleted(Broker(url), queue_name(name))


def _deleted(broker: Broker, name: str) -> None:
    if broker.redis:
        with broker.redis_client() as client:
            client.delete(name, *(broker.redis_key(name, priority) for priority in range(10)))
        return
    with broker.connect() as connection:
        connection.default_channel.queue_delete(name)


async def _published_again(place: Place, name: str, count: int) -> tuple[float, float]:
    """Seconds, and the scheduler's processor time: the broker has lost all, ten minutes after it was published."""
    async with place.connection() as connection:
        await connection.execute(
            "UPDATE runs SET due_at = due_at - INTERVAL '20 minutes', published_at = due_at - INTERVAL '10 minutes'"
        )
        await connection.execute("VACUUM ANALYZE runs")
    assert place.broker
    broker = Broker(place.broker)
    channel = open_channel(broker, broker.connect())
    try:
        async with horae(place, "scheduler") as scheduler:
            began, used = time.perf_counter(), scheduler.cpu()
            await until(lambda: _waiting(channel, name, count), seconds=_PATIENCE, every=0.1)
            return time.perf_counter() - began, scheduler.cpu() - used
    finally:
        channel.close()


async def _waiting(channel: Channel, name: str, count: int) -> bool:
    return await asyncio.to_thread(channel.depth, name) >= count


async def _drained(place: Place, options: Options) -> tuple[float, float]:
    """Runs per second, and the worker's processor time."""
    words = ("--engine", "celery", "--import", "bench.tasks", "--slots", str(options.slots))
    async with horae(place, "worker", *words) as worker:
        before = worker.cpu()
        await until(lambda: drain.empty(place), seconds=_PATIENCE, every=0.2)
        used = worker.cpu() - before
    return options.published / await drain.checked(place, options.published), used


async def _bare(place: Place, pool: str, count: int) -> tuple[float, float]:
    """Tasks per second of bare Celery, and microseconds of processor time per task."""
    assert place.broker
    name = f"bench-{uuid4().hex[:12]}"
    await asyncio.to_thread(bare_celery.fill, place.broker, name, count)
    stamps = latency.Stamps(place)
    told = {
        bare_celery.BROKER: place.broker,
        bare_celery.QUEUE: name,
        bare_celery.COUNT: str(count),
        STAMPS: stamps.path,
    }
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR")
    child = subprocess.Popen(  # noqa: ASYNC220 - as for Horae's own processes
        [
            *(Path(sys.executable).with_name("celery"), "-A", "bench.bare_celery", "worker", "-Q", name, *quiet),
            *("--pool", pool, "--concurrency", str(BARE[pool])),
        ],
        env=os.environ | told,
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process = psutil.Process(child.pid)
        first = await stamps.of("1", 60)
        used = cpu(process)
        last = await stamps.of(str(count), _PATIENCE)
        used = cpu(process) - used
    finally:
        child.terminate()
        await asyncio.to_thread(child.wait)
        stamps.close()
        Path(stamps.path).unlink()
        _deleted(Broker(place.broker), name)
    return count / (last - first) * 1e9, used / count * 1e6


async def _latency(place: Place, name: str, options: Options) -> list[float]:
    async with latency.worker(place) as stamps, latency.straight(place, name) as ask:
        return await latency.sample(stamps, ask, options.triggers)
