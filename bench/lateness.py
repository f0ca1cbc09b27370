"""Lateness: how long after its time a lone scheduled job is queued, and how long until a worker has it."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from bench import jobs
from bench.figure import Figure, percentile
from bench.options import Options
from bench.place import Place, fresh
from bench.process import horae
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import PythonTarget

JOBS = 5  # each every second, a fifth of a second apart
SECONDS = 15.0
WARM = 2.0


async def measure(kind: str, options: Options) -> list[Figure]:
    target = PythonTarget(function="nothing")
    spec = JobSpec(name="bench job", target=target, schedule={"every": "1s"}, overlap="allow")  # type: ignore[arg-type]
    async with fresh(kind) as place:
        async with place.connection() as db:
            now = await place.dialect().read_now(db)
        start = now + timedelta(seconds=2)
        await jobs.insert(place, [spec], JOBS, lambda n: start + timedelta(seconds=n / JOBS), now)
        async with horae(place, "worker", "--import", "bench.tasks"), horae(place, "scheduler"):
            await asyncio.sleep(WARM)
            async with place.connection() as db:
                since = await place.dialect().read_now(db)
            await asyncio.sleep(SECONDS)
        queued, started = await _samples(place, since)
    title = place.title
    floor, targets = (50, (5, 25)) if kind != "mysql" else (None, (None, None))
    return [
        Figure("due to queued, p50", title, (percentile(queued, 50),), "ms", less=True),
        Figure("due to queued, p99", title, (percentile(queued, 99),), "ms", floor, less=True),
        Figure("due to started, p50", title, (percentile(started, 50),), "ms", None, targets[0], less=True),
        Figure("due to started, p99", title, (percentile(started, 99),), "ms", None, targets[1], less=True),
    ]


async def _samples(place: Place, since: datetime) -> tuple[list[float], list[float]]:
    """Milliseconds by the database's clock."""
    rows = await place.ask(
        "SELECT due_at, created_at, started_at FROM run_history WHERE status = 'succeeded' AND due_at > :since",
        since=since,
    )
    if len(rows) < JOBS * 10:
        raise AssertionError(f"only {len(rows)} runs in {SECONDS:g} seconds")
    queued = [(row["created_at"] - row["due_at"]).total_seconds() * 1e3 for row in rows]
    return queued, [(row["started_at"] - row["due_at"]).total_seconds() * 1e3 for row in rows]
