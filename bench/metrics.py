"""Metrics: how long a scrape takes in an empty installation, in one with millions of ended runs, and with 100,000
jobs and 10,000 open dead letters too. The JSON form counts jobs, so its bound is that of history alone."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import AsyncExitStack

from bench import lists
from bench.figure import Figure, percentile
from bench.http import api
from bench.options import Options
from bench.place import Place, fresh
from bench.process import cpu
from horae.lifecycle.prune import recount
from tests.contract.test_alerts_wide import crowd
from tests.contract.world import World

JOBS = 100_000
DEAD = 10_000
SAMPLES = 200
MOST = 20.0  # milliseconds
FORMS = {"text": "text/plain", "JSON": "application/json"}

_STATS = """
INSERT INTO job_stats (job_id, project_id, succeeded, failed, cancelled, skipped, retries, timed_out, duration_ms)
VALUES (:job_id, :project_id, 97, 3, 0, 0, 5, 1, 100000)
"""
_SKIPS = """
INSERT INTO skip_stats (job_id, reason, project_id, occurrences) SELECT id, 'missed', project_id, 1 FROM jobs
"""
_DEAD = f"""
INSERT INTO dead_letters (run_id, job_id, project_id, fingerprint, failed_at)
SELECT id, job_id, project_id, 'same', finished_at FROM run_history WHERE status = 'failed' LIMIT {DEAD}
"""


async def measure(kind: str, options: Options) -> list[Figure]:
    figures: list[Figure] = []
    async with fresh(kind) as place:
        figures += await _scrapes(place, "an empty installation")
        filled = await lists.fill(place, options.history)
        figures += await _scrapes(place, f"{options.history:,} ended runs")
        await _crowd(place, filled)
        figures += await _scrapes(place, f"{JOBS:,} jobs and {options.history:,} ended runs", bound_to=("text",))
    return figures


async def _scrapes(place: Place, where: str, bound_to: Collection[str] = FORMS) -> list[Figure]:
    figures: list[Figure] = []
    server = place.server()
    async with api(place) as (serve, connect):
        client = await connect()
        for form, accept in FORMS.items():
            for _ in range(5):  # the first few prepare statements
                await client.fetch("GET", "/metrics", accept=accept)
            samples: list[float] = []
            used = serve.cpu() + cpu(server)
            for _ in range(SAMPLES):
                began = time.perf_counter()
                await client.fetch("GET", "/metrics", accept=accept)
                samples.append((time.perf_counter() - began) * 1e3)
            used = (serve.cpu() + cpu(server) - used) / SAMPLES * 1e3
            name = f"scrape as {form} of {where}"
            for percent in (50, 99):
                floor = MOST if percent == 50 and form in bound_to else None
                value = percentile(samples, percent)
                figures.append(Figure(f"{name}, p{percent}", place.title, (value,), "ms", floor, less=True))
            figures.append(Figure(f"{name}, CPU of serve and server", place.title, (used,), "ms", less=True))
    return figures


async def _crowd(place: Place, filled: lists.Filled) -> None:
    async with AsyncExitStack() as stack:
        world = await World.open(place.url, stack)
        await world.execute(_STATS, job_id=filled.job_ids[0], project_id=filled.project_id)
        await crowd(world, filled.job_ids[0], JOBS, "many")
        await world.execute(_SKIPS)
        await world.execute(_DEAD)
        await world.store.transact(recount)
    async with place.connection() as connection:
        for table in ("jobs", "job_stats", "skip_stats", "dead_letters", "totals"):
            await connection.execute(f"VACUUM ANALYZE {table}")
