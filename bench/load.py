"""The API under load: requests per second and how long they take, with a few clients that never pause."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from bench import queue
from bench.figure import Figure, percentile
from bench.http import Client, Connect, api
from bench.options import Options
from bench.place import Place, fresh

SECONDS = 5.0


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        async with place.store() as store:
            job = await queue.manual_job(store, "nothing")
        path = f"/api/v1/jobs/{job.record.id}"
        async with api(place) as (_, connect):
            read = await _press(connect, options.clients, lambda client: client.call("GET", path))
            posted = await _press(connect, options.clients, lambda client: client.call("POST", f"{path}/run", {}))
        await _checked(place, len(posted))
    figures = []
    for name, samples in (("API: GET a job", read), ("API: POST a run", posted)):
        title = f"{name}, {options.clients} clients"
        figures.append(Figure(title, place.title, (len(samples) / SECONDS,), "requests/s"))
        figures.append(Figure(f"{title}, p99", place.title, (percentile(samples, 99),), "ms", less=True))
    return figures


async def _press(connect: Connect, clients: int, call: Callable[[Client], Awaitable[object]]) -> list[float]:
    """Milliseconds of every request that was made."""
    samples: list[float] = []

    async def one() -> None:
        client = await connect()
        await call(client)
        while (began := time.perf_counter()) < end:
            await call(client)
            samples.append((time.perf_counter() - began) * 1e3)
        await client.close()

    end = time.perf_counter() + SECONDS
    await asyncio.gather(*(one() for _ in range(clients)))
    return samples


async def _checked(place: Place, counted: int) -> None:
    """Each answer stands for a run; the first of each client is not counted."""
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM runs")
    if not counted <= row["n"]:
        raise AssertionError(f"{counted} requests answered, but only {row['n']} runs are queued")
