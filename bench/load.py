"""The API under load: requests per second with a few clients that never pause, the processor time of a request, and how
long requests take at half the load that is asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import psutil

from bench import queue
from bench.figure import Figure, percentile
from bench.http import Client, Connect, api
from bench.options import Options
from bench.place import Place, fresh
from bench.process import Process, cpu

SECONDS = 5.0

Call = Callable[[Client], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Load:
    """A request, and how many a second the issues demand."""

    name: str
    demanded: float
    call: Call


@dataclass(frozen=True, slots=True)
class Pressed:
    """What came of clients that never paused: how many requests, and the processor time of each."""

    requests: int
    serve: float
    server: float


async def measure(kind: str, options: Options) -> list[Figure]:
    figures: list[Figure] = []
    async with fresh(kind) as place:
        async with place.store() as store:
            job = await queue.manual_job(store, "nothing")
        path = f"/api/v1/jobs/{job.record.id}"
        loads = (
            Load("API: GET a job", 1_500, lambda client: client.call("GET", path)),
            Load("API: POST a run", 800, lambda client: client.call("POST", f"{path}/run", {})),
        )
        async with api(place) as (process, connect):
            answered = 0
            for load in loads:
                pressed = await _press(connect, options.clients, load.call, process, place.server())
                paced = await _pace(connect, options.clients, load.call, load.demanded / 2)
                figures += _figures(load, place, options, pressed, paced)
                answered = pressed.requests + len(paced)
        await _checked(place, answered)
    return figures


def _figures(load: Load, place: Place, options: Options, pressed: Pressed, paced: list[float]) -> list[Figure]:
    title, half = f"{load.name}, {options.clients} clients", f"{load.name}, {load.demanded / 2:g} a second, p99"
    demanded, most = (load.demanded, 50.0) if place.kind == "postgresql" else (None, None)
    return [
        Figure(title, place.title, (pressed.requests / SECONDS,), "requests/s", floor=demanded),
        Figure(f"{load.name}, CPU of serve", place.title, (pressed.serve * 1e6,), "µs/request", less=True),
        Figure(f"{load.name}, CPU of the server", place.title, (pressed.server * 1e6,), "µs/request", less=True),
        Figure(half, place.title, (percentile(paced, 99),), "ms", floor=most, less=True),
    ]


async def _press(
    connect: Connect, clients: int, call: Call, process: Process, server: psutil.Process | None
) -> Pressed:
    async def one(client: Client) -> int:
        count = 0
        while time.perf_counter() < end:
            await call(client)
            count += 1
        return count

    connected = [await connect() for _ in range(clients)]
    await asyncio.gather(*(call(client) for client in connected))  # connections and statements are made now
    used, end = (process.cpu(), cpu(server)), time.perf_counter() + SECONDS
    total = sum(await asyncio.gather(*(one(client) for client in connected)))
    serve, database = process.cpu() - used[0], cpu(server) - used[1]
    for client in connected:
        await client.close()
    return Pressed(total, serve / total, database / total)


async def _pace(connect: Connect, clients: int, call: Call, rate: float) -> list[float]:
    """Milliseconds from when each request should have been sent: one that waits for the one before counts its wait."""
    samples: list[float] = []
    every = clients / rate

    async def one(due: float) -> None:
        client = await connect()
        await call(client)
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            await call(client)
            samples.append((time.perf_counter() - due) * 1e3)
            due += every
        await client.close()

    begin = time.perf_counter() + 0.5
    end = begin + SECONDS
    await asyncio.gather(*(one(begin + place / rate) for place in range(clients)))
    return samples


async def _checked(place: Place, counted: int) -> None:
    """Each answer stands for a run."""
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM runs")
    if not counted <= row["n"]:
        raise AssertionError(f"{counted} requests answered, but only {row['n']} runs are queued")
