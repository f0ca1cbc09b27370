"""The stage of a scenario: its own database, a cluster, the oracle's file, and randomness from a seed."""

import asyncio
import random
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from horae.clock import SystemClock
from horae.sdk.task import Task
from tests.databases import Databases
from tests.faults.checker import Checker
from tests.faults.proxy import Proxy
from tests.faults.scenario import Scenario, Times
from tests.faults.tally import Tally
from tests.integration.cluster import tasks
from tests.integration.cluster.cluster import PATIENCE, Cluster, Member, Row, eventually
from tests.integration.cluster.oracle import Note, Oracle
from tests.migrated import migrated_once
from tests.waiting import until

T = TypeVar("T")
SHORT_TIMES = {"HORAE_LEASE": "3s", "HORAE_HEARTBEAT": "750ms", "HORAE_SHARD_LEASE": "1500ms"}
RETRY = {"max_attempts": 10, "delay": 0}


class Failure(AssertionError):
    """A repetition that broke the promise; its tally says by how much, and belongs into the table."""

    def __init__(self, words: str, tally: Tally) -> None:
        super().__init__(words)
        self.tally = tally


class Templates:
    """A database per kind with the schema and the functions of the tests, to be copied."""

    def __init__(self, databases: Databases) -> None:
        self.databases = databases
        functions = [task.function for task in vars(tasks).values() if isinstance(task, Task)]
        self._made = migrated_once(databases, functions)
        self._lock = threading.Lock()

    def copy(self, kind: str) -> str:
        with self._lock:  # also because PostgreSQL copies one database once at a time
            return self.databases.create(kind, like=self._made(kind))


class Stage:
    def __init__(self, cluster: Cluster, kind: str, times: Times, seed: int, rounds: int) -> None:
        self.cluster, self.kind, self.times, self.seed = cluster, kind, times, seed
        self.chance = random.Random(seed)
        self.oracle = Oracle(cluster.folder / "oracle.txt")
        self.checker = Checker(cluster, self.oracle)
        self.tally = Tally()
        self._rounds = rounds
        self._proxies: list[Proxy] = []
        self._kept = AsyncExitStack()
        self._jobs = 0

    @property
    def lease(self) -> float:
        return 3.0 if self.times == "short" else 15.0

    @property
    def shard_lease(self) -> float:
        return 1.5 if self.times == "short" else 6.0

    def rounds(self) -> Iterator[int]:
        """One fault per round."""
        return iter(range(self._rounds))

    def recovered(self, seconds: float) -> None:
        self.tally.recovery.append(seconds)

    async def proxy(self, host: str = "127.0.0.1") -> Proxy:
        """A proxy before the database: `start_worker(HORAE_DATABASE_URL=proxy.url)` for those who shall use it."""
        proxy = await Proxy.before(self.cluster.url, host).__aenter__()
        self._proxies.append(proxy)
        return proxy

    async def keep(self, context: AbstractAsyncContextManager[T]) -> T:
        """What is there until the end, for the checker as well."""
        return await self._kept.enter_async_context(context)

    async def pass_by(self, seconds: float) -> None:
        """Lets time pass: for a fault at a seeded moment, or one that lasts. Never to wait for something to happen."""
        end = time.monotonic() + seconds
        await until(lambda: time.monotonic() >= end, timeout=seconds + PATIENCE)

    # What there is to do

    def noting(self, seconds: float = 0.0, kind: str = "async") -> Row:
        """A target that writes down its start, its end and, if it takes long, that it is alive; `kind` is how it is
        carried out: `async`, `process` or `script`."""
        if kind == "script":
            alive = f"for i in $(seq {round(seconds / 0.1)}); do {self.oracle.script('alive')}; sleep 0.1; done"
            return {"kind": "script", "source": f"{self.oracle.script('start')}\n{alive}\n{self.oracle.script('end')}"}
        arguments = {"path": str(self.oracle.path), "seconds": seconds}
        return {"kind": "python", "function": "ticking" if kind == "async" else "ticking_apart", "arguments": arguments}

    async def plan(
        self, count: int, *, every: float = 1.0, times: int = 5, target: Row | None = None, **fields: Any
    ) -> list[str]:
        """Jobs on a schedule with a known calendar: `times` occurrences each, `every` so many seconds; due one after
        the other, so that some job is due at almost any moment."""
        start = SystemClock().now() + timedelta(seconds=1)
        common = {
            "target": target or self.noting(),
            "overlap": "allow",
            "catch_up": "all",
            "retry": RETRY,
            **fields,
        }
        grids = [_grid(start + timedelta(seconds=every * n / count), every, times) for n in range(count)]
        ids = await self.cluster.create_many(
            [
                {
                    "name": self._name(),
                    "schedule": {"every": every, "start_at": grid[0].isoformat(), "end_at": grid[-1].isoformat()},
                    **common,
                }
                for grid in grids
            ]
        )
        made = {row["id"]: row["created_at"] for row in await self.cluster.ask("SELECT id, created_at FROM jobs")}
        for job_id, grid in zip(ids, grids, strict=True):  # what was due before the job was made is no one's
            self.checker.calendar[job_id] = [at for at in grid if at > made[job_id]]
        return ids

    async def ask_for(self, count: int, target: Row | None = None, **fields: Any) -> list[str]:
        """A job and so many runs of it; their ids."""
        name = self._name()
        job_id = await self.cluster.create(name, target or self.noting(), **{"retry": RETRY, **fields})
        ids = await self.cluster.run(name, count)
        self.checker.asked |= set(ids)
        if "max_instances" in fields:
            self.checker.limits[job_id] = fields["max_instances"]
        return ids

    async def every_slot(self, workers: Collection[Member]) -> None:
        """Fills all their slots at the same time: one that a fault has cost would be missing."""
        rows = await self.cluster.ask("SELECT id, slots FROM workers")
        ids = {worker.id for worker in workers}
        count = sum(row["slots"] for row in rows if row["id"] in ids)
        gate = self.cluster.folder / f"gate-{self._jobs}"
        arguments = {"path": str(self.oracle.path), "gate": str(gate)}
        runs = await self.ask_for(count, {"kind": "python", "function": "gated", "arguments": arguments})
        await self.noted("start", lambda note: note.run_id in runs, count=count)
        gate.touch()
        for run_id in runs:
            run = await self.cluster.ended(run_id)
            assert run.attempt == 1, run

    def _name(self) -> str:
        self._jobs += 1
        return f"job-{self._jobs}"

    # What happens

    async def noted(
        self, step: str, check: Callable[[Note], bool] = lambda _: True, count: int = 1, within: float = PATIENCE
    ) -> list[Note]:
        """Waits until attempts have written down so many such steps."""

        def enough() -> list[Note]:
            found = [note for note in self.oracle.notes(step) if check(note)]
            return found if len(found) >= count else []

        return await until(enough, timeout=within, message=f"{count} × {step}", every=0.03)

    async def latest(self, jobs: Collection[str], since: datetime) -> float:
        """By how many seconds the occurrences of these jobs since then were fired too late, at the most."""
        rows = await self.cluster.ask(
            "SELECT job_id, scheduled_for, created_at FROM run_history WHERE scheduled_for > :since "
            "UNION ALL SELECT job_id, scheduled_for, created_at FROM runs WHERE scheduled_for > :since",
            since=since,
        )
        late = [(row["created_at"] - row["scheduled_for"]).total_seconds() for row in rows if row["job_id"] in jobs]
        return max(late, default=0.0)

    async def sharing(self, schedulers: int) -> None:
        """Waits until every shard has an owner, and all of these have a part."""

        async def shared() -> bool:
            owned = await self.cluster.shards()
            return None not in owned and len(owned) == schedulers

        await eventually(shared, message=f"{schedulers} schedulers share the shards")

    async def settle(self, within: float = PATIENCE) -> None:
        """Waits until nothing is left to do."""

        async def over() -> bool:
            return not await self.cluster.count("jobs WHERE next_run_at IS NOT NULL") and not await self.cluster.count(
                "runs"
            )

        try:
            await eventually(over, timeout=within, message="everything is over")
        except AssertionError as error:  # the checker reports more
            self.checker.wrong.append(str(error))

    async def finish(self) -> Tally:
        """Stops what runs in order, and checks."""
        for proxy in self._proxies:
            proxy.accept()
            proxy.speak()
        codes = await asyncio.gather(*(self._stopped(member) for member in self.cluster.members if member.code is None))
        wrong = await self.checker.check(self.tally)
        wrong += [f"a {role} stopped with {code}" for role, code in codes if code]
        wrong += self.cluster.tracebacks()
        if wrong:
            raise Failure("\n".join(wrong), self.tally)
        return self.tally

    async def _stopped(self, member: Member) -> tuple[str, int]:
        member.resume()
        return member.role, await member.stop()

    async def close(self) -> None:
        try:
            await self.cluster.close()
            for proxy in self._proxies:
                await proxy.__aexit__(None, None, None)
        finally:
            await self._kept.aclose()


def _grid(start: datetime, every: float, times: int) -> list[datetime]:
    return [start + timedelta(seconds=every * n) for n in range(times)]


@asynccontextmanager
async def set_up(templates: Templates, kind: str, times: Times, seed: int, rounds: int = 1) -> AsyncIterator[Stage]:
    url = await asyncio.to_thread(templates.copy, kind)
    folder = Path(tempfile.mkdtemp(prefix="horae-faults-"))
    settings = {"HORAE_DRAIN_TIMEOUT": "10s", "HORAE_EXECUTORS": "python,script"}
    cluster = Cluster(url, folder, {**settings, **(SHORT_TIMES if times == "short" else {})})
    stage = Stage(cluster, kind, times, seed, rounds)
    try:
        await cluster.open()
        yield stage
    finally:
        await stage.close()
        await asyncio.to_thread(templates.databases.drop, url)
        shutil.rmtree(folder, ignore_errors=True)


async def play(scenario: Scenario, templates: Templates, kind: str, times: Times, seed: int, rounds: int = 1) -> Tally:
    """One repetition (or `rounds` of them on one cluster); raises if the promise is broken."""
    async with asyncio.timeout(scenario.within * max(rounds, 1)), set_up(templates, kind, times, seed, rounds) as stage:
        await scenario.play(stage)
        await stage.settle()
        return await stage.finish()
