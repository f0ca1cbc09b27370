"""Width: what the verbs of workers and schedulers take in an empty installation, and in one with 1,000 queues, 100,000
runs that no one can take, 10,000 held, 10,000 for later and 50,000 paused jobs; as a ratio, which should be near 1."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import AsyncExitStack
from statistics import median

from bench.figure import Figure
from bench.options import Options
from bench.place import fresh
from horae.domain.jobs.job_record import JobRecord
from tests.contract.wide import Verb, go_through, narrow, widen
from tests.contract.world import WORK, World
from tests.functions import register

ROUNDS = 15


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place, AsyncExitStack() as stack:
        await register(place.url, WORK)
        world = await World.open(place.url, stack)
        gated = await narrow(world)
        before = await _milliseconds(world, gated)
        await widen(world, gated)
        after = await _milliseconds(world, gated)
    figures = []
    for name in before:
        figures.append(Figure(f"{name}, narrow", place.title, (before[name],), "ms"))
        figures.append(Figure(f"{name}, wide", place.title, (after[name],), "ms"))
        figures.append(Figure(f"{name}: wide/narrow", place.title, (after[name] / before[name],), "×", 2, less=True))
    return figures


async def _milliseconds(world: World, gated: JobRecord) -> dict[str, float]:
    """The median of each verb's times."""
    times: dict[str, list[float]] = defaultdict(list)

    async def cost(name: str, verb: Verb) -> None:
        began = time.perf_counter()
        await verb(world)
        times[name].append((time.perf_counter() - began) * 1000)

    for _ in range(ROUNDS):
        await go_through(world, gated, cost)
    return {name: median(taken) for name, taken in times.items()}
