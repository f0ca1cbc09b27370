"""Over a month of runs that succeed, fail, are retried, lost, cancelled and skipped, in two projects and three queues,
with schedulers that fail over, the time series say exactly what the history does: by the minute, by the hour and by the
day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from horae.accounts import projects
from horae.domain.jobs.job_record import JobRecord
from horae.domain.people.project import Project
from horae.domain.runs.claim import Claimed
from horae.domain.runs.series import INSTALLATION, STEPS, WHOLE, Bucket, Sample, begin, queue_subject
from horae.domain.runs.spread import bucket
from horae.ports import Transaction
from tests.contract.test_year import Wheel
from tests.contract.world import FAILED, PERMANENT, SUCCEEDED, TIMED_OUT, World
from tests.databases import Databases, run

pytestmark = pytest.mark.timeout(600)

QUEUES = ("default", "mail", "slow")
OUTCOMES = (SUCCEEDED, SUCCEEDED, SUCCEEDED, FAILED, PERMANENT, TIMED_OUT)


class Month:
    """Something happens at each step; then it is some minutes or hours later, at the middle of a minute: on a server
    the clock goes on between the statements of a transaction."""

    def __init__(self, world: World, other: str, jobs: list[tuple[World, JobRecord]], chance: Random) -> None:
        self.world, self.other, self.jobs, self.chance = world, other, jobs, chance
        self.sampled: set[datetime] = set()

    @classmethod
    async def begin(cls, url: str, stack: AsyncExitStack, seed: int) -> Month:
        if url.startswith("sqlite"):
            wheel = Wheel(datetime(2026, 1, 3, 12, 0, 30, tzinfo=UTC))
            world = await World.open(url, stack, clock=wheel, inline=True, connections=1)
        else:
            world = await World.open(url, stack, connections=1)
        other = Project(world.ids.new(), "other", "Other")
        await world.store.transact(projects.create_project, project=other, actor="x")
        jobs = []
        for place in (world, replace(world, project=other.id)):
            for queue in QUEUES:
                retry = {"max_attempts": 2, "delay": 30}
                jobs.append((place, await place.job(queue=queue, retry=retry, catch_up="none", every="1h")))
                jobs.append((place, await place.job(queue=queue, retry={"max_attempts": 1}, start_within=600)))
        month = cls(world, other.id, jobs, Random(seed))
        await month.wait(1)
        return month

    async def wait(self, minutes: float) -> None:
        now = await self.world.now()
        seconds = minutes * 60 + 30 - (now.timestamp() + minutes * 60) % 60
        if isinstance(self.world.clock, Wheel):
            self.world.clock.at += timedelta(seconds=seconds)
        else:
            self.world = await self.world.after(seconds)

    async def step(self) -> None:
        chance, world = self.chance, self.world
        place, job = chance.choice(self.jobs)
        place = replace(world, project=place.project)
        happening = chance.choice(("trigger", "trigger", "work", "work", "work", "fire", "cancel", "sum", "sample"))
        if happening == "trigger":
            await place.trigger(job, chance.randint(1, 4))
        elif happening == "work":
            await self._work()
        elif happening == "fire":
            await world.fire()
        elif happening == "cancel":
            queued = await world.rows("SELECT id FROM runs WHERE project_id = :id LIMIT 2", id=place.project)
            await place.cancel(*(row["id"] for row in queued))
        elif happening == "sum":
            await world.roll_up(limit=chance.randint(1, 20))
        else:
            await self._sample()
        await world.recover()
        await world.expire()
        await self.wait(chance.choice((0, 1, 2, 7, 61, 300)))

    async def _work(self) -> None:
        lease = self.chance.choice((15.0, 86_400.0))
        claimed: list[Claimed] = await self.world.claim(self.chance.randint(1, 6), queues=QUEUES, lease=lease)
        some = claimed[: self.chance.randint(1, 6)]  # the others are lost with their worker
        for one in some:
            duration_ms = int(10 ** self.chance.uniform(0, 7))
            await self.world.finish(one, outcome=self.chance.choice(OUTCOMES), duration_ms=duration_ms)

    async def _sample(self) -> None:
        """Two schedulers, each of which believes that it is the first."""
        taken = [await self.world.store.read(lambda tx: tx.series.sample(180.0)) for _ in range(2)]
        for sample in taken:
            if sample is not None and await self.world.store.transact(record, sample):
                minute = begin(sample.at, STEPS[0])
                assert minute not in self.sampled
                self.sampled.add(minute)

    async def check(self) -> None:
        while await self.world.roll_up():
            pass
        for step in STEPS:
            for project_id in (None, self.world.project, self.other):
                for queue in (None, *QUEUES):
                    await self._compare(step, project_id, queue)
        minutes = await self._series(STEPS[0], None, None)
        assert {at for at, one in minutes.items() if one.samples} == self.sampled
        assert all(one.samples <= 1 for one in minutes.values())

    async def _compare(self, step: int, project_id: str | None, queue: str | None) -> None:
        found = await self._series(step, project_id, queue)
        ended = {at: (one.ended, one.lateness, one.duration) for at, one in found.items() if one.ended}
        told = await history(self.world, step, project_id, queue)
        assert ended == {at: (one.ended, one.lateness, one.duration) for at, one in told.items()}

    async def _series(self, step: int, project_id: str | None, queue: str | None) -> dict[datetime, Bucket]:
        async def read(tx: Transaction) -> list[tuple[datetime, Bucket]]:
            subject, now, far = WHOLE if queue is None else queue_subject(queue), await tx.now(), timedelta(days=900)
            return await tx.series.read(project_id or INSTALLATION, subject, step, now - far, now + far)

        return dict(await self.world.store.read(read))


async def record(tx: Transaction, sample: Sample) -> bool:
    return await tx.series.record(sample)


async def history(world: World, step: int, project_id: str | None, queue: str | None) -> dict[datetime, Bucket]:
    """The same from ended runs, one by one."""
    found: dict[datetime, Bucket] = defaultdict(Bucket)
    for row in await world.history():
        if project_id not in (None, row["project_id"]) or queue not in (None, row["queue"]):
            continue
        one = found[begin(row["finished_at"], step)]
        one.ended[row["status"]] = one.ended.get(row["status"], 0) + row["occurrences"]
        if row["status"] in ("succeeded", "failed") and row["started_at"] is not None:
            late = bucket((row["started_at"] - row["due_at"]) // timedelta(milliseconds=1))
            one.lateness[late] = one.lateness.get(late, 0) + 1
            took = bucket(row["duration_ms"])
            one.duration[took] = one.duration.get(took, 0) + 1
    return found


async def tell(url: str, steps: int, seed: int) -> timedelta:
    """How long it took, by its own clock."""
    async with AsyncExitStack() as stack:
        month = await Month.begin(url, stack, seed)
        began = await month.world.now()
        for _ in range(steps):
            await month.step()
        await month.check()
        statuses = {row["status"] for row in await month.world.history()}
        assert statuses == {"succeeded", "failed", "cancelled", "skipped"}
        return await month.world.now() - began


@pytest.mark.sqlite
def test_a_month_on_sqlite(databases: Databases, template: Callable[[str], str]) -> None:
    assert run(tell(databases.create("sqlite", like=template("sqlite")), 750, seed=7)) > timedelta(days=30)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")]
)
def test_some_days_on_a_server(databases: Databases, template: Callable[[str], str], kind: str) -> None:
    assert run(tell(databases.create(kind, like=template(kind)), 100, seed=3)) > timedelta(days=2)
