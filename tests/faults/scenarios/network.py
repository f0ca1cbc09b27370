"""Partitions: a process and its database are silently cut off from each other."""

from horae.clock import SystemClock
from tests.faults.scenario import BOTH, SERVERS, scenario
from tests.faults.scenarios.schedulers import lively, owned_by, taken_over
from tests.faults.scenarios.workers import cut_off
from tests.faults.stage import Stage
from tests.waiting import until


@scenario(
    "worker-partitioned",
    "a worker and its database are cut off from each other, silently or not: it ends its work before others begin it",
    kinds=SERVERS,
    times=BOTH,
    fast=("postgresql",),
    rounds=3,
    bound=20,
)
async def worker_partitioned(stage: Stage) -> None:
    """They appear to be on other hosts: no process here may draw conclusions from their pids."""
    await stage.cluster.start_scheduler()
    proxies = [await stage.proxy(), await stage.proxy()]
    workers = [await stage.cluster.start_worker(HORAE_DATABASE_URL=proxy.url) for proxy in proxies]
    await stage.cluster.tell("UPDATE workers SET host_key = id")
    for _ in stage.rounds():
        if stage.chance.random() < 0.5:
            await cut_off(stage, workers, lambda n: proxies[n].silence(), lambda n: proxies[n].speak())
        else:
            await cut_off(stage, workers, lambda n: proxies[n].refuse(), lambda n: proxies[n].accept())
    await stage.every_slot(workers)


@scenario(
    "scheduler-partitioned",
    "nothing passes between a scheduler and its database; later all arrives at once",
    kinds=SERVERS,
    times=BOTH,
    rounds=3,
    bound=10,
)
async def scheduler_partitioned(stage: Stage) -> None:
    proxy = await stage.proxy()
    alone = await stage.cluster.start_scheduler(HORAE_DATABASE_URL=proxy.url)
    await stage.cluster.start_scheduler()
    await stage.cluster.start_worker()
    await stage.sharing(2)
    for _ in stage.rounds():
        jobs = await lively(stage)
        its = await owned_by(stage, alone) & set(jobs)
        since = SystemClock().now()
        proxy.silence()
        await taken_over(stage, alone, its, since)
        proxy.speak()
        await stage.sharing(2)


@scenario(
    "late-report",
    "a worker's report is delayed in the network until another worker has its run, and then arrives",
    kinds=SERVERS,
    fast=("mysql",),
    rounds=3,
)
async def late_report(stage: Stage) -> None:
    """Its own lease is long and its heartbeat rare, so that it does not know when the lease is taken away."""
    proxy = await stage.proxy()
    await stage.cluster.start_scheduler()
    slow = await stage.cluster.start_worker(HORAE_DATABASE_URL=proxy.url, HORAE_LEASE="60s", HORAE_HEARTBEAT="20s")
    for count in stage.rounds():
        (run_id,) = await stage.ask_for(1, stage.noting(1.0))
        await stage.noted("start", lambda note, run_id=run_id: note.run_id == run_id)  # type: ignore[misc]
        proxy.silence()
        await stage.noted("end", lambda note, run_id=run_id: note.run_id == run_id)  # type: ignore[misc]
        await stage.cluster.tell("UPDATE runs SET lease_until = started_at WHERE id = :id", id=run_id)
        other = await stage.cluster.start_worker()
        await stage.noted("start", lambda note, run_id=run_id: note.run_id == run_id and note.attempt == 2)  # type: ignore[misc]
        proxy.speak()
        run = await stage.cluster.ended(run_id)
        assert (run.attempt, run.worker_id) == (2, other.id), run
        refused = count + 1
        await until(lambda n=refused: len(slow.logged("results refused")) == n, timeout=40, message="it is refused")  # type: ignore[misc]
        assert await other.stop() == 0
