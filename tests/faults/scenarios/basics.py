"""Nothing fails here: the basic work of a scheduler, with one run and with thousands, and with workers that start and
stop in order."""

from tests.faults.scenario import ALL, DEFAULT, scenario
from tests.faults.stage import Stage

EVERY, HOUR = 60.0, 60  # a minute, and an hour of them
TEN = 2 * ("async", "process", "script", "async", "script")


@scenario("manual-single", "one job is triggered manually", times=DEFAULT, rounds=5)
async def manual_single(stage: Stage) -> None:
    await stage.cluster.start_worker()
    for _ in stage.rounds():
        (run_id,) = await stage.ask_for(1, stage.noting(0.1, "script"))
        run = await stage.cluster.ended(run_id)
        assert (run.status, run.attempt) == ("succeeded", 1), run


@scenario("manual-concurrent", "ten jobs are triggered manually within a second", times=DEFAULT, rounds=5)
async def manual_concurrent(stage: Stage) -> None:
    """All at the same time: each waits until the others have begun."""
    await stage.cluster.start_worker()
    for _ in stage.rounds():
        began = len(stage.oracle.notes("start"))
        runs = [(await stage.ask_for(1, stage.noting(1.0, kind)))[0] for kind in TEN]
        await stage.noted("start", count=began + len(TEN))
        for run_id in runs:
            assert (await stage.cluster.ended(run_id)).attempt == 1


@scenario(
    "scaling-mid-run",
    "workers are added while there is more to do than one can do",
    times=DEFAULT,
)
async def scaling_mid_run(stage: Stage) -> None:
    few = {"HORAE_WORKER_SLOTS": "2"}
    workers = [await stage.cluster.start_worker(**few)]
    await stage.ask_for(20, stage.noting(0.5))
    await stage.noted("start", count=2)
    workers += await stage.cluster.start_workers(2, **few)
    await stage.ask_for(40, stage.noting(0.5))  # the first may have done everything
    await stage.settle(within=90)
    rows = await stage.cluster.ask("SELECT DISTINCT worker_id FROM run_history")
    assert {row["worker_id"] for row in rows} == {worker.id for worker in workers}


@scenario(
    "worker-offline",
    "runs are requested while no worker is alive, and one comes back",
    times=DEFAULT,
    fast=("sqlite",),
    rounds=3,
)
async def worker_offline(stage: Stage) -> None:
    for _ in stage.rounds():
        runs = await stage.ask_for(5, stage.noting(0.05))
        assert {(await stage.cluster.look(run_id)).status for run_id in runs} == {"queued"}
        worker = await stage.cluster.start_worker()
        for run_id in runs:
            assert (await stage.cluster.ended(run_id)).attempt == 1
        assert await worker.stop() == 0
        assert (await stage.cluster.worker_row(worker))["status"] == "offline"


@scenario(
    "hundred-intervals",
    "100 jobs, each due every second for 20 seconds, on 10 workers",
    kinds=ALL,
    times=DEFAULT,
    most=2,
    alone=True,
    within=300,
)
async def hundred_intervals(stage: Stage) -> None:
    """An hour of minutes as twenty seconds."""
    await hundred(stage, every=1.0, times=20)


@scenario(
    "hundred-for-an-hour",
    "100 jobs, each due every minute for an hour, on 10 workers; only when it is asked for",
    kinds=("postgresql",),
    times=DEFAULT,
    most=1,
    alone=True,
    within=4_500,
    only_asked=True,
)
async def hundred_for_an_hour(stage: Stage) -> None:
    await hundred(stage, every=EVERY, times=HOUR)


async def hundred(stage: Stage, *, every: float, times: int) -> None:
    await stage.cluster.start_scheduler()
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(10)
    jobs = await stage.plan(100, every=every, times=times)
    await stage.settle(within=every * times + 120)
    rows = await stage.cluster.ask("SELECT worker_id, attempt, status FROM run_history")
    assert {(row["attempt"], row["status"]) for row in rows} == {(1, "succeeded")}
    assert {row["worker_id"] for row in rows} <= {worker.id for worker in workers}
    began = {note.run_id: note.at for note in stage.oracle.notes("start")}
    due = await stage.cluster.ask("SELECT id, job_id, scheduled_for FROM run_history")
    late = sorted(began[row["id"]] - row["scheduled_for"].timestamp() for row in due if row["job_id"] in set(jobs))
    stage.tally.notes["latest start after it was due, ms"] = round(1000 * late[-1])
