"""Workers that start and stop under load, in order: nothing is lost, and interrupted attempts do not count."""

from itertools import cycle

from tests.faults.scenario import DEFAULT, scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Member

ONCE = {"max_attempts": 1}  # an attempt that was interrupted and counted would end its run
DRAIN = {"HORAE_DRAIN_TIMEOUT": "500ms", "HORAE_WORKER_SLOTS": "4"}


async def work(stage: Stage, count: int) -> list[str]:
    """Short and long runs of every kind, more than there are slots."""
    runs: list[str] = []
    for kind, share in (("async", 4), ("process", 1), ("script", 1)):
        for seconds in (0.1, 1.0):
            runs += await stage.ask_for(count * share // 12, stage.noting(seconds, kind), retry=ONCE)
    return runs


@scenario("drain", "a worker is stopped in order in the middle of its work", times=DEFAULT, rounds=3)
async def drain(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2, **DRAIN)
    for _ in stage.rounds():
        before = len(stage.oracle.notes("start"))
        runs = await work(stage, 24)
        await stage.noted("start", count=before + 6)
        await stage.pass_by(stage.chance.random())
        leaver = workers.pop(stage.chance.randrange(2))
        assert await leaver.stop() == 0
        assert leaver.children() == []
        workers.append(await stage.cluster.start_worker(**DRAIN))
        for run_id in runs:
            run = await stage.cluster.ended(run_id)
            assert run.attempt - run.uncounted == 1, run


@scenario("rolling-restart", "all workers are restarted one after the other under load", times=DEFAULT, fast=("mysql",))
async def rolling_restart(stage: Stage) -> None:
    """A worker goes as soon as the one that replaces it has come."""
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(3, **DRAIN)
    runs = await work(stage, 96)
    await stage.noted("start", count=12)
    for _ in range(3):
        coming = stage.cluster.start_worker(**DRAIN)
        leaver = workers.pop(0)
        workers.append(await coming)
        assert await leaver.stop() == 0
    for run_id in runs:
        run = await stage.cluster.ended(run_id)
        assert run.attempt - run.uncounted == 1, run


@scenario("scale", "from 1 worker to 20 and back to 1 under load", times=DEFAULT, most=2, alone=True, within=300)
async def scale(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    first = await stage.cluster.start_worker(**DRAIN)
    await work(stage, 60)
    await stage.noted("start", count=2)
    more = await stage.cluster.start_workers(19, **DRAIN)
    runs = await work(stage, 240)
    await stage.noted("end", count=60)
    leavers: list[Member] = [first, *more][: len(more)]
    for leaver in stage.chance.sample(leavers, len(leavers)):
        assert await leaver.stop() == 0
    for run_id in runs:
        await stage.cluster.ended(run_id)


@scenario(
    "places",
    "workers are killed (-9) again and again: no place of a limited job is lost",
    rounds=4,
    fast=("postgresql",),
)
async def places(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2)
    kinds = cycle(("script", "process", "async"))
    for _ in stage.rounds():
        before = len(stage.oracle.notes("start"))
        target = stage.noting(0.3, next(kinds))
        runs = await stage.ask_for(6, target, max_instances=2, overlap="queue_all")
        await stage.noted("start", count=before + stage.chance.randint(1, 3))
        victim = workers.pop(stage.chance.randrange(2))
        await victim.kill()
        workers.append(await stage.cluster.start_worker())
        for run_id in runs:
            await stage.cluster.ended(run_id)
