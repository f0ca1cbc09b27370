"""`python -m bench.calling aiohttp|httpx URL CALLS TASKS`: calls in a bare loop, as a yardstick. Prints seconds and the
processor time used, as JSON."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable

import aiohttp
import httpx
import uvloop

BODY = b'{"a": 1}'
HEADERS = {"Content-Type": "application/json"}

Call = Callable[[], Awaitable[None]]


async def by_aiohttp(url: str, calls: int, tasks: int) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call() -> None:
            async with session.post(url, data=BODY, headers=HEADERS) as answer:
                await answer.read()
                assert answer.status == 200

        await _crowd(call, calls, tasks)


async def by_httpx(url: str, calls: int, tasks: int) -> None:
    limits = httpx.Limits(max_connections=tasks, max_keepalive_connections=tasks)
    async with httpx.AsyncClient(limits=limits, timeout=30) as client:

        async def call() -> None:
            answer = await client.post(url, content=BODY, headers=HEADERS)
            assert answer.status_code == 200

        await _crowd(call, calls, tasks)


async def _crowd(call: Call, calls: int, tasks: int) -> None:
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            await call()

    began, used = time.perf_counter(), _cpu()
    await asyncio.gather(*(work() for _ in range(tasks)))
    print(json.dumps({"seconds": time.perf_counter() - began, "cpu": _cpu() - used}))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    loop = {"aiohttp": by_aiohttp, "httpx": by_httpx}[sys.argv[1]]
    uvloop.run(loop(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
