"""Workers that are killed at one particular step of a run. The proxy sees the statement pass and kills its sender."""

from tests.faults.proxy import At, Proxy, Trap
from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.workers import KINDS, begun_again, now
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Member
from tests.waiting import until

CLAIM, FINISH = "SET status = 'running'", "INTO run_history"


class Snare:
    """The first of several workers that comes to a step is killed there."""

    def __init__(self, stage: Stage, pattern: str, at: At) -> None:
        self._stage, self._pattern, self._at = stage, pattern, at
        self.victim: Member | None = None
        self.since = 0.0
        self._traps: list[tuple[Proxy, Trap]] = []

    def set(self, proxy: Proxy, worker: Member) -> None:
        self._traps.append((proxy, proxy.trap(self._pattern, self._at, lambda: self._kill(worker))))

    def _kill(self, worker: Member) -> None:
        self.victim, self.since = worker, now()
        worker.signal(9)
        for proxy, trap in self._traps:
            trap.sprung.set()
            proxy.traps.remove(trap)

    async def caught(self) -> Member:
        victim = await until(lambda: self.victim, timeout=40, message="a worker comes to that step")
        assert victim is not None
        await victim.ended()
        return victim


async def killed_at(stage: Stage, pattern: str, at: At, attempts: int) -> None:
    """Two workers, each through a proxy. `attempts` is with which one the run must end."""
    await stage.cluster.start_scheduler()
    proxies = [await stage.proxy(), await stage.proxy()]
    workers = [await stage.cluster.start_worker(HORAE_DATABASE_URL=proxy.url) for proxy in proxies]
    left = len(list(stage.rounds()))
    while left:
        snare = Snare(stage, pattern, at)
        for proxy, worker in zip(proxies, workers, strict=True):
            snare.set(proxy, worker)
        target = stage.noting(0.3 * stage.chance.random(), stage.chance.choice(KINDS))
        (run_id,) = await stage.ask_for(1, target)
        victim = await snare.caught()
        run = await stage.cluster.ended(run_id)
        place = workers.index(victim)
        if attempts == 2 and run.attempt == 1 and run.worker_id != victim.id:
            # PostgreSQL claims in one statement, and an idle worker's finds nothing: that kill proved nothing.
            workers[place] = await stage.cluster.start_worker(HORAE_DATABASE_URL=proxies[place].url)
            continue
        left -= 1
        assert (run.status, run.attempt) == ("succeeded", attempts), run
        if attempts > 1:
            await begun_again(stage, [run_id], snare.since)
        workers[place] = await stage.cluster.start_worker(HORAE_DATABASE_URL=proxies[place].url)


@scenario(
    "worker-killed-after-claim",
    "a worker is killed when its claim is committed and it does not know yet",
    kinds=SERVERS,
    fast=("postgresql",),
    rounds=10,
)
async def after_claim(stage: Stage) -> None:
    await killed_at(stage, CLAIM, "done", attempts=2)


@scenario(
    "worker-killed-before-finish",
    "a worker is killed when the work is done and its report has not reached the database",
    kinds=SERVERS,
    fast=("postgresql",),
    rounds=10,
)
async def before_finish(stage: Stage) -> None:
    await killed_at(stage, FINISH, "request", attempts=2)


@scenario(
    "worker-killed-after-finish",
    "a worker is killed when its report is committed and it does not know yet",
    kinds=SERVERS,
    fast=("mysql",),
    rounds=10,
)
async def after_finish(stage: Stage) -> None:
    await killed_at(stage, FINISH, "done", attempts=1)
