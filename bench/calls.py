"""Calls: `http` runs that are queued already, carried out by one worker process, beside bare loops of two clients that
make the same calls in the same minute."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench import queue
from bench.drain import checked, empty
from bench.figure import Figure
from bench.options import Options
from bench.place import fresh, until
from bench.process import PROJECT, horae
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import HttpTarget

SLOTS = 500
FLOOR = 2_000
SHARE = 0.6  # of the faster bare loop


async def measure(kind: str, options: Options) -> list[Figure]:
    async with _answering() as url:
        bare = {
            "aiohttp": await _bare("aiohttp", url, options.calls, SLOTS),
            # It looks through all its connections for each call: it is at its best with few of them.
            "httpx": await _bare("httpx", url, options.calls // 5, 20),
        }
        rate, cpu, place = await _worker(kind, url, options.calls)
    fastest = max(rate for rate, _ in bare.values())
    name = f"http, {SLOTS} slots, answers after 10 ms"
    return [
        Figure(name, place, (rate,), "calls/s", FLOOR),
        Figure(f"{name}: worker ÷ faster bare loop", place, (rate / fastest,), "", SHARE),
        Figure(f"{name}: worker CPU", place, (cpu * 1e6,), "µs/call"),
        *(Figure(f"{name}: bare {client}", place, (rate,), "calls/s") for client, (rate, _) in bare.items()),
        *(Figure(f"{name}: bare {client} CPU", place, (cpu * 1e6,), "µs/call") for client, (_, cpu) in bare.items()),
    ]


async def _worker(kind: str, url: str, calls: int) -> tuple[float, float, str]:
    target = HttpTarget(url=url, body='{"a": 1}')
    async with fresh(kind) as place:
        async with place.store() as store:
            job = await queue.job(store, JobSpec(name="bench calls", target=target))
            await queue.fill(store, job, calls)
        words = ("worker", "--slots", str(SLOTS))
        async with horae(place, *words, HORAE_HTTP_ALLOW_PRIVATE="true") as worker:
            before = worker.cpu()
            await until(lambda: empty(place), seconds=600, every=0.2)
            cpu = worker.cpu() - before
        seconds = await checked(place, calls)
    return calls / seconds, cpu / calls, place.title


async def _bare(client: str, url: str, calls: int, tasks: int) -> tuple[float, float]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.calling", client, url, str(calls), str(tasks)),
        cwd=PROJECT,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    found = json.loads(told)
    return calls / found["seconds"], found["cpu"] / calls


@asynccontextmanager
async def _answering() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.answering"), cwd=PROJECT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}/hook"
    finally:
        process.kill()
        await process.wait()
