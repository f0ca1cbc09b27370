"""The cost of a single run on an idle worker: round trips to the database, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.task import describe
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import Outcome
from horae.lifecycle.functions import register_functions
from horae.processes.worker import Worker
from tests.contract.cost import Meter, counted
from tests.contract.working import Prompt, working
from tests.contract.world import World
from tests.waiting import until

# With the beginnings and ends of transactions. PostgreSQL claims and ends in one statement each.
MOST = {"postgresql": 8, "sqlite": 14}


class Noting(Prompt):
    """Remembers what had been sent when the run began."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.before: list[str] = []

    async def execute(self, attempt: Attempt) -> Outcome:
        self.before = list(self._meter.round_trips)
        return await super().execute(attempt)


async def quiet(meter: Meter) -> list[str]:
    """What was sent, once the worker has nothing left to say."""
    seen = -1

    def unchanged() -> bool:
        nonlocal seen
        before, seen = seen, len(meter.round_trips)
        return before == seen > 0

    await until(unchanged, every=0.1)
    sent, meter.round_trips = meter.round_trips, []
    return sent


async def lone_run(
    world: World, meter: Meter, job: JobRecord, worker: Worker, hints: Sequence[str] = ("runs:default",)
) -> list[str]:
    (run,) = await world.trigger(job)
    for hint in hints:
        worker.on_hint(hint)

    async def ended() -> Any:
        return await world.rows("SELECT id FROM run_history WHERE id = :id", id=run.id)

    await until(ended)
    return await quiet(meter)


async def test_it_costs_few_round_trips(world: World) -> None:
    job = await world.job()
    observed, meter = await counted(world, 2)
    async with working(observed) as worker:
        await quiet(meter)
        await lone_run(world, meter, job, worker)  # which learns the definition
        for sent in [await lone_run(world, meter, job, worker) for _ in range(3)]:
            assert len(sent) <= MOST.get(world.kind, 16), sent


async def test_asking_for_it_costs_few_round_trips(world: World) -> None:
    """The job, its function and its project's quotas are one question; PostgreSQL needs no transaction around it."""
    job = await world.job()
    await world.store.transact(register_functions, [FunctionSign.of(describe(_work, name="work"))])
    observed, meter = await counted(world, 2)
    await observed.trigger(job)
    most = 2 if world.kind == "postgresql" else 5  # which shows it in the statement that adds it
    assert len(meter.round_trips) <= most, meter.round_trips


async def _work() -> None: ...


async def test_it_begins_before_the_worker_asks_when_more_is_due(world: World) -> None:
    job = await world.job()
    observed, meter = await counted(world, 2)
    async with working(observed, executor := Noting(meter)) as worker:
        await quiet(meter)
        await lone_run(world, meter, job, worker)
        (sent,) = [await lone_run(world, meter, job, worker)]
        assert executor.before == sent[: len(executor.before)]
        assert len(executor.before) <= about_lanes(sent)[1], "the second question about lanes is when more is due"


async def test_it_begins_before_the_worker_looks_at_all_queues(world: World) -> None:
    job = await world.job()
    observed, meter = await counted(world, 2)
    async with working(observed, executor := Noting(meter)) as worker:
        await quiet(meter)
        await lone_run(world, meter, job, worker)
        await lone_run(world, meter, job, worker, ("runs:default", "runs"))
        assert len(about_lanes(executor.before)) == 1, "that of the claim"


def about_lanes(sent: list[str]) -> list[int]:
    return [number for number, sql in enumerate(sent) if "lane AS (" in sql or "CROSS JOIN (SELECT 9" in sql]
