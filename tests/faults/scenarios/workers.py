"""Workers that are killed or put to sleep: their runs run again elsewhere, once, and nothing they do afterwards counts.

Recovery is the time from the fault until the last of the worker's runs has begun again.
"""

import time
from collections.abc import Callable, Iterable

from tests.faults.scenario import ALL, BOTH, SERVERS, scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import PATIENCE, TASKS, Member, eventually

KINDS = ("async", "process", "script")
MANY = 20  # runs that a worker with one slot holds
APART = ("process", "script")  # what a worker that sleeps cannot go on with when it wakes up


async def begun_again(stage: Stage, runs: Iterable[str], since: float) -> None:
    """Waits until these have begun once more after that moment of the wall clock."""
    missing = set(runs)
    if not missing:
        return
    await stage.noted(
        "start", lambda note: note.at > since and note.run_id in missing, count=len(missing), within=2 * PATIENCE
    )
    first: dict[str, float] = {}
    for note in stage.oracle.notes("start"):
        if note.at > since and note.run_id in missing:
            first.setdefault(note.run_id, note.at)
    stage.recovered(max(first.values()) - since)


async def held_by(stage: Stage, worker: Member) -> set[str]:
    rows = await stage.cluster.ask(
        "SELECT id FROM runs WHERE status = 'running' AND worker_id = :worker", worker=worker.id
    )
    return {row["id"] for row in rows}


async def kill(stage: Stage, worker: Member) -> tuple[set[str], float]:
    """Kills it, and returns which runs it held and when that was. It is suspended while we look: what it held would
    otherwise be someone else's by the time of the answer."""
    worker.pause()
    held = await held_by(stage, worker)
    since = now()
    await worker.kill()
    return held, since


async def one_at_work(stage: Stage, workers: list[Member]) -> Member:
    """One of those that hold runs: one may have taken all."""
    return stage.chance.choice([worker for worker in workers if await held_by(stage, worker)])


def now() -> float:
    return time.time()


async def busy(stage: Stage, workers: list[Member], kinds: tuple[str, ...], seconds: float = 3.0) -> list[str]:
    """Runs of every kind on these workers; returns at a random moment at which they are under way."""
    before = len(stage.oracle.notes("start"))
    runs: list[str] = []
    for kind in kinds:
        runs += await stage.ask_for(2 * len(workers), stage.noting(seconds, kind))
    await stage.noted("start", count=before + len(runs))
    await stage.pass_by(stage.chance.random())
    return runs


async def cut_off(
    stage: Stage, workers: list[Member], cut: Callable[[int], object], mend: Callable[[int], object]
) -> None:
    """One of those at work is cut off from its database, by its place among them, until others have begun its runs; it
    learns of the database again at some time after that."""
    runs = await busy(stage, workers, KINDS, 1.5 * stage.lease)
    victim = await one_at_work(stage, workers)
    place, held = workers.index(victim), await held_by(stage, victim)
    since = now()
    cut(place)
    await begun_again(stage, held, since)
    await stage.pass_by(stage.chance.random() * stage.lease)
    mend(place)
    await over(stage, runs)


async def over(stage: Stage, runs: Iterable[str]) -> None:
    for run_id in runs:
        await stage.cluster.ended(run_id)


@scenario(
    "worker-killed",
    "a worker is killed (-9) at a random moment; the other and the scheduler see that it is dead",
    times=BOTH,
    fast=ALL,
    rounds=5,
    bound=3,
)
async def worker_killed(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2)
    for _ in stage.rounds():
        runs = await busy(stage, workers, KINDS)
        victim = await one_at_work(stage, workers)
        workers.remove(victim)
        held, since = await kill(stage, victim)
        await begun_again(stage, held, since)
        workers.append(await stage.cluster.start_worker())
        await over(stage, runs)


async def _holds_many(stage: Stage, worker: Member) -> bool:
    return len(await held_by(stage, worker)) > MANY


@scenario(
    "worker-killed-ahead",
    "a worker is killed (-9) that has claimed runs ahead of its slots: each runs elsewhere",
    times=BOTH,
    fast=("postgresql", "sqlite"),
    rounds=3,
    bound=5,
)
async def worker_killed_ahead(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    for _ in stage.rounds():
        victim = await stage.cluster.start_worker(HORAE_WORKER_SLOTS="1")
        runs = await stage.ask_for(1000, stage.noting())

        await eventually(_holds_many, stage, victim, message="it claims ahead of its slots")
        await kill(stage, victim)
        other = await stage.cluster.start_worker(HORAE_WORKER_SLOTS="1")
        await stage.settle()
        await over(stage, runs)
        await other.stop()


@scenario(
    "worker-killed-elsewhere",
    "a worker on what looks like another machine is killed: its leases have to run out",
    times=BOTH,
    fast=("mysql",),
    rounds=5,
    bound=20,
)
async def worker_killed_elsewhere(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    for _ in stage.rounds():
        victim = await elsewhere(stage)
        runs = await busy(stage, [victim, victim], KINDS, 2 * stage.lease)
        other = await stage.cluster.start_worker()
        held, since = await kill(stage, victim)
        await begun_again(stage, held, since)
        await over(stage, runs)
        await other.stop()


async def elsewhere(stage: Stage) -> Member:
    """No process here can tell whether it is alive."""
    worker = await stage.cluster.start("worker", "--import", TASKS).ready()
    await stage.cluster.tell("UPDATE workers SET host_key = 'elsewhere' WHERE id = :id", id=worker.id)
    return worker


@scenario(
    "worker-paused",
    "a worker sleeps (SIGSTOP) for three leases at a random moment, then wakes up",
    kinds=SERVERS,
    times=BOTH,
    fast=("postgresql",),
    rounds=3,
    within=180,
    bound=20,
)
async def worker_paused(stage: Stage) -> None:
    """Not on SQLite: suspended within a transaction it would hold the one lock that all processes need."""
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2)
    for _ in stage.rounds():
        runs = await busy(stage, workers, APART, 1.5 * stage.lease)
        sleeper = await one_at_work(stage, workers)
        held = await held_by(stage, sleeper)
        since = now()
        sleeper.pause()
        await begun_again(stage, held, since)
        await stage.pass_by(max(0.0, 3 * stage.lease - (now() - since)))
        sleeper.resume()
        await over(stage, runs)
    await stage.every_slot(workers)
