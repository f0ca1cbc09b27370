"""`max_instances` is never exceeded, and no place is ever lost, whichever process triggers, claims, finishes, cancels
or dies."""

import asyncio
import random

from horae.domain.errors import NotFound, StaleVersion
from horae.domain.jobs.job_record import JobRecord
from tests.contract.world import FAILED, INTERRUPTED, LEASE, PERMANENT, SUCCEEDED, World, ids


async def under_way(world: World, job: JobRecord) -> int:
    return len([row for row in await world.live(job) if not row["held"]])


async def drain(world: World, job: JobRecord, *, most: int) -> int:
    """Works until nothing is left; at every step no more than `most` are under way."""
    done = 0
    while await world.live(job):
        assert await under_way(world, job) <= most
        runs = [run for run in await world.claim(50) if run.job_id == job.id]
        assert 1 <= len(runs) <= most, "somebody waits though there is a place"
        done += (await world.finish(*runs)).ended
    return done


async def test_no_more_than_the_limit_are_under_way(world: World) -> None:
    job = await world.job(max_instances=3)
    await world.trigger(job, 10)
    assert await drain(world, job, most=3) == 10


async def test_a_job_without_a_limit_has_none(world: World) -> None:
    job = await world.job()
    await world.trigger(job, 10)
    assert len(await world.claim(50)) == 10


async def test_one_job_waits_for_no_other(world: World) -> None:
    one, two = await world.jobs(2, max_instances=1)
    await world.trigger(one, 3)
    await world.trigger(two, 3)
    assert {run.job_id for run in await world.claim()} == {one.id, two.id}


async def test_triggers_at_once_share_the_places(world: World) -> None:
    job = await world.job(max_instances=3)
    crowd = await world.crowd(6)
    await asyncio.gather(*(one.trigger(job, 2) for one in crowd))
    assert await under_way(world, job) == 3
    assert await drain(world, job, most=3) == 12


async def test_firing_and_triggering_at_once_share_the_places(world: World) -> None:
    for _ in range(3):
        job = await world.job(every="1h", max_instances=1, overlap="queue_all")
        crowd = await world.crowd(4)
        await asyncio.gather(crowd[0].fire(), *(one.trigger(job) for one in crowd[1:]))
        await crowd[0].fire()
        assert await under_way(world, job) == 1
        assert await drain(world, job, most=1) == 4


async def test_finishing_at_once_opens_exactly_as_many_places(world: World) -> None:
    job = await world.job(max_instances=4)
    await world.trigger(job, 20)
    crowd = await world.crowd(4)
    for _ in range(3):
        runs = await world.claim()
        assert len(runs) == 4
        await asyncio.gather(*(one.finish(run) for one, run in zip(crowd, runs, strict=True)))
        assert await under_way(world, job) == 4


class Crowd:
    """Processes that do anything to one job, with leases that expire at once."""

    def __init__(self, job: JobRecord, seed: str) -> None:
        self._job = job
        self._chance = random.Random(seed)
        self.over = False

    async def people(self, one: World) -> None:
        for _ in range(8):
            runs = await one.trigger(self._job, self._chance.randint(1, 2))
            if self._chance.random() < 0.4:
                await one.cancel(self._chance.choice(runs))

    async def worker(self, one: World) -> None:
        for _ in range(15):
            for run in await one.claim(self._chance.randint(1, 3), lease=0):
                if self._chance.random() < 0.7:
                    await one.finish(run, outcome=self._chance.choice([SUCCEEDED, FAILED, PERMANENT, INTERRUPTED]))

    async def sweeper(self, one: World) -> None:
        for _ in range(15):
            await one.recover()

    async def looker(self, one: World) -> int:
        most = 0
        while not self.over:
            most = max(most, await under_way(one, self._job))
        return most


async def test_under_concurrency_the_limit_holds_and_no_run_is_stuck(world: World) -> None:
    job = await world.job(max_instances=2, retry={"max_attempts": 2, "delay": 0})
    crowd, them = Crowd(job, world.kind), await world.crowd(6)
    looking = asyncio.create_task(crowd.looker(them.pop()))
    acts = (crowd.people, crowd.people, crowd.worker, crowd.worker, crowd.sweeper)
    await asyncio.gather(*(act(one) for act, one in zip(acts, them, strict=True)))
    crowd.over = True
    assert await looking == 2
    later = await world.later(seconds=LEASE + 60)
    while await world.live(job):
        assert 1 <= await under_way(world, job) <= 2, "somebody waits though there is a place"
        await later.recover()
        await later.finish(*await later.claim())
    totals = await world.totals()
    assert sum(totals[status] for status in ("succeeded", "failed", "cancelled")) == len(await world.history())


# ---- edits of the limit


async def test_a_higher_limit_lets_those_who_wait_start(world: World) -> None:
    job = await world.job(max_instances=1)
    await world.trigger(job, 5)
    await world.edit(job, max_instances=3)
    assert await under_way(world, job) == 3


async def test_a_lower_limit_ends_nothing_and_starts_nothing(world: World) -> None:
    job = await world.job(max_instances=3)
    await world.trigger(job, 5)
    runs = await world.claim()
    await world.edit(job, max_instances=1)
    await world.finish(runs[0])
    await world.finish(runs[1])
    assert await world.claim() == []
    await world.finish(runs[2])
    assert await drain(world, job, most=1) == 2


async def test_without_the_limit_all_who_wait_start(world: World) -> None:
    for change in ({"max_instances": None}, {"overlap": "allow"}):
        job = await world.job(max_instances=1)
        await world.trigger(job, 5)
        await world.edit(job, **change)
        assert len(await world.claim()) == 5


async def test_a_new_limit_counts_what_runs_already_and_opens_when_it_ends(world: World) -> None:
    job = await world.job()
    await world.trigger(job, 2)
    runs = await world.claim()
    await world.edit(job, max_instances=1)
    (waiting,) = await world.trigger(job)
    assert waiting.held
    await world.finish(runs[0])
    assert await world.claim() == []
    await world.finish(runs[1])
    assert ids(await world.claim()) == {waiting.id}


async def test_edits_of_the_limit_and_everything_else_at_once(world: World) -> None:
    """Limits are set, changed and removed while runs start and end: no run is stuck afterwards."""
    job = await world.job(max_instances=1)
    chance = random.Random(world.kind)

    async def editor(one: World) -> None:
        for limit in (3, None, 1, None, 2):
            await one.edit(job, max_instances=limit)

    async def people(one: World) -> None:
        for _ in range(8):
            await one.trigger(job)

    async def worker(one: World) -> None:
        for _ in range(12):
            await one.finish(*await one.claim(chance.randint(1, 3)))

    crowd = await world.crowd(4)
    await asyncio.gather(editor(crowd[0]), people(crowd[1]), worker(crowd[2]), worker(crowd[3]))
    left = len(await world.live(job))
    assert await drain(world, job, most=max(left, 2)) == left
    assert len(await world.history(job)) == 8


async def test_deleting_a_job_at_its_limit_cancels_its_held_runs(world: World) -> None:
    job = await world.job(max_instances=1)
    await world.trigger(job, 4)
    (run,) = await world.claim()
    await world.delete(job)
    assert ids(await world.live()) == {run.id}
    assert len(await world.history(status="cancelled")) == 3


async def test_deleting_under_load_leaves_nothing_behind(world: World) -> None:
    for _ in range(3):
        job = await world.job(max_instances=2)
        await world.trigger(job, 6)
        runs = await world.claim()
        crowd = await world.crowd(4)
        answers = await asyncio.gather(
            crowd[0].delete(job),
            crowd[1].finish(*runs),
            crowd[2].trigger(job, 2),
            crowd[3].edit(job, max_instances=5),
            return_exceptions=True,
        )
        assert {type(answer) for answer in answers if isinstance(answer, BaseException)} <= {NotFound, StaleVersion}
        assert await world.live(job) == []
        assert await world.rows("SELECT job_id FROM job_gates WHERE job_id = :id", id=job.id) == []
