"""Alerts: how long an evaluation takes over 100,000 healthy jobs; over as many that all have their own thresholds,
of which every hundredth fails; and when all are overdue and 100,000 runs wait."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from datetime import timedelta
from statistics import median

from bench.figure import Figure
from bench.options import Options
from bench.place import fresh
from horae.domain.alerts.thresholds import Thresholds
from horae.lifecycle.watching.watch import Eyes, watch
from tests.contract.test_alerts_wide import JOBS, analyse, crowd
from tests.contract.watching import fail, worker
from tests.contract.wide import copy
from tests.contract.world import WORK, World
from tests.functions import register

ROUNDS = 5
MOST = 2.0  # seconds
EYES = Eyes(Thresholds(), 180.0, 6.0)
ALERT = '{"failing": 3, "late": 300, "longer_than": 3600, "no_success_for": 93600, "missed": true}'


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place, AsyncExitStack() as stack:
        await register(place.url, WORK)
        world = await World.open(place.url, stack)
        await worker(world)
        job, bad = await world.job(), await world.job()
        await world.ended(job)
        await fail(world, bad, 3)
        await world.roll_up()
        await crowd(world, job.id, JOBS, "healthy")
        await analyse(world)
        healthy = await _seconds(world)
        await crowd(world, bad.id, JOBS // 100, "broken")
        await world.execute(
            "INSERT INTO alert_settings (subject_id, project_id, subject_kind, settings, late, longer_ms, "
            "no_success_for, missed, timezone) "
            f"SELECT id, project_id, 'job', '{ALERT}', 300, 3600000, 93600, TRUE, 'UTC' FROM jobs"
        )
        await analyse(world)
        own = await _seconds(world)
        (run,) = await world.trigger(await world.job())
        await copy(world, "runs", run.id, JOBS)
        await world.execute("DELETE FROM alert_settings")
        long_ago = await world.now() - timedelta(hours=1)
        await world.execute("UPDATE runs SET due_at = :at", at=long_ago)
        await world.execute("UPDATE jobs SET next_run_at = :at", at=long_ago)
        await analyse(world)
        flood = await _seconds(world)
    return [
        Figure("alerts of 100,000 healthy jobs", place.title, (healthy,), "s", MOST, less=True),
        Figure("alerts of 100,000 jobs with rules of their own", place.title, (own,), "s", MOST, less=True),
        Figure("alerts of 100,000 overdue jobs and waiting runs", place.title, (flood,), "s", MOST, less=True),
    ]


async def _seconds(world: World) -> float:
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await world.store.read(watch, eyes=EYES)
        taken.append(time.perf_counter() - began)
    return median(taken)
