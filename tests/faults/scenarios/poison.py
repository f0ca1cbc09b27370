"""Runs that kill the worker that executes them, and results that cannot be stored: dead letters, and work continues."""

from collections.abc import Awaitable, Callable

from tests.faults.scenario import ALL, scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Member, Row, eventually

ATTEMPTS = 3


async def kept_alive(stage: Stage, workers: list[Member], done: Callable[[], Awaitable[bool]]) -> None:
    """Like a service manager: restarts processes that died, until the work is done."""

    async def look() -> bool:
        for place, worker in enumerate(workers):
            if worker.code is not None:
                workers[place] = await stage.cluster.start_worker()
        return await done()

    await eventually(look, timeout=90, message="the poison is used up")


@scenario(
    "poison-run",
    "a run kills its worker each time: it ends as a dead letter, the others succeed",
    fast=("mysql",),
)
async def poison_run(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2)
    target: Row = {"kind": "python", "function": "poison", "arguments": {"path": str(stage.oracle.path)}}
    (poison,) = await stage.ask_for(1, target, retry={"max_attempts": ATTEMPTS, "delay": 0})
    stage.checker.may_fail.add(poison)
    others = await stage.ask_for(20, stage.noting(0.5, stage.chance.choice(("async", "script"))))

    async def over() -> bool:
        return not await stage.cluster.count("runs")

    await kept_alive(stage, workers, over)
    run = await stage.cluster.ended(poison)
    assert (run.status, run.attempt) == ("failed", ATTEMPTS), run
    assert [row["run_id"] for row in await stage.cluster.ask("SELECT run_id FROM dead_letters")] == [poison]
    assert len(stage.oracle.attempts("start")[poison]) == ATTEMPTS
    for run_id in others:
        assert (await stage.cluster.ended(run_id)).status == "succeeded"


@scenario(
    "poison-payload",
    "functions return and print what no database can store; the worker goes on",
    kinds=ALL,
    fast=ALL,
)
async def poison_payload(stage: Stage) -> None:
    worker = await stage.cluster.start_worker()
    kinds = ["surrogate", "nul", "nan", "deep", "cycle", "huge", "odd", "raises odd"]
    stage.chance.shuffle(kinds)
    runs = []
    for kind in kinds:
        target: Row = {"kind": "python", "function": "spits", "arguments": {"kind": kind}}
        runs += await stage.ask_for(1, target, retry={"max_attempts": 1})
    for run_id in runs:
        stage.checker.may_fail.add(run_id)
        stage.checker.silent.add((await stage.cluster.look(run_id)).job_id)
    good = await stage.ask_for(5)
    for run_id in [*runs, *good]:
        run = await stage.cluster.ended(run_id)
        assert (run.attempt, run.worker_id) == (1, worker.id), run
    assert worker.code is None
    await stage.every_slot([worker])
