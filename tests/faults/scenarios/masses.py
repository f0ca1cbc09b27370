"""Fifty thousand jobs that are due in the same second."""

import time
from datetime import timedelta

from bench import jobs
from bench.place import Place
from horae.clock import SystemClock
from horae.domain.jobs.job import JobSpec
from tests.faults.scenario import scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import eventually

MANY = 50_000


@scenario(
    "same-second", f"{MANY:,} jobs are due in the same second, for two schedulers", most=1, alone=True, within=600
)
async def same_second(stage: Stage) -> None:
    """Recovery is how long it takes until all of them are queued."""
    at = (SystemClock().now() + timedelta(seconds=1)).replace(microsecond=0)
    spec = JobSpec.model_validate(
        {
            "name": "bench job",
            "target": {"kind": "python", "function": "nothing"},
            "schedule": {"at": at},
            "overlap": "allow",
        }
    )
    place = Place(stage.kind, stage.cluster.url, stage.cluster.folder)
    await jobs.insert(place, [spec], MANY, lambda _: at, SystemClock().now())
    await jobs.analyse(place)
    for row in await stage.cluster.ask("SELECT id FROM jobs"):
        stage.checker.calendar[row["id"]] = [at]
        stage.checker.silent.add(row["id"])
    began = time.monotonic()
    schedulers = [stage.cluster.start("scheduler") for _ in range(2)]
    for scheduler in schedulers:
        await scheduler.ready()

    async def fired() -> bool:
        return not await stage.cluster.count("jobs WHERE next_run_at IS NOT NULL")

    await eventually(fired, timeout=300, message="all are queued")
    stage.recovered(time.monotonic() - began)
    await stage.cluster.start_workers(2, HORAE_WORKER_SLOTS="100")
    await stage.settle(within=300)
