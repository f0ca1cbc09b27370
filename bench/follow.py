"""Following: how long after a script prints a line a follower of its log has it.

The line itself says when it was printed, by the clock that all processes of a machine share."""

from __future__ import annotations

import asyncio
import time

from bench.figure import Figure, percentile
from bench.http import api
from bench.options import Options
from bench.place import fresh
from bench.process import horae
from horae.sdk.client import Client

LINES = 100
SCRIPT = f"for i in $(seq {LINES}); do date +%s.%N; sleep 0.07; done"
JOB = {"name": "prints", "target": {"kind": "script", "source": SCRIPT}}


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place, horae(place, "worker", HORAE_EXECUTORS="script"), api(place) as (_, connect):
        caller = await connect()
        await caller.call("POST", "/api/v1/jobs", JOB)
        run = await caller.call("POST", "/api/v1/jobs/prints/run", {})
        samples = await asyncio.to_thread(_follow, caller.url, caller.token, str(run["id"]))
        await caller.close()
    return [
        Figure("printed to followed, p50", place.title, (percentile(samples, 50),), "ms", less=True),
        Figure("printed to followed, p99", place.title, (percentile(samples, 99),), "ms", 500, less=True),
    ]


def _follow(url: str, token: str, run: str) -> list[float]:
    """Milliseconds, a line each."""
    samples: list[float] = []
    with Client(url, token) as client:
        for name, data in client.runs.follow(run):
            if name == "log" and data["stream"] == "stdout":
                now = time.time()
                samples += [(now - float(line)) * 1000 for line in data["text"].split()]
    if len(samples) != LINES:
        raise AssertionError(f"{len(samples)} of {LINES} lines came")
    return samples
