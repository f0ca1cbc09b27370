"""Change detection: every step of a run is seen, on every database."""

from datetime import datetime
from typing import Any

from horae.domain.runs.changes import Seen
from horae.lifecycle import changes
from tests.contract.world import World


class Follower:
    def __init__(self, world: World) -> None:
        self.world, self.seen = world, changes.NOTHING
        self.since: datetime | None = None

    async def look(self) -> changes.Look:
        found = await look(self.world, self.seen, self.since)
        self.seen, self.since = found.seen, found.at
        return found

    async def statuses(self) -> list[tuple[str, str]]:
        return [(run.id, run.status) for run in (await self.look()).runs]


async def look(world: World, seen: Seen, since: datetime | None) -> changes.Look:
    return await world.store.read(changes.look, project_id=world.project, seen=seen, since=since, offline_after=180.0)


async def test_the_steps_of_a_run(world: World):
    job = await world.job()
    follower = Follower(world)
    await follower.look()
    (run,) = await world.trigger(job)
    assert await follower.statuses() == [(run.id, "queued")]
    assert await follower.statuses() == []
    (claimed,) = await world.claim()
    assert await follower.statuses() == [(run.id, "running")]
    await world.cancel(run)
    assert await follower.statuses() == [(run.id, "running")]  # it was asked to stop
    await world.finish(claimed)
    assert [status for _, status in await follower.statuses()] != []
    assert await follower.statuses() == []


async def test_a_run_that_begins_and_ends_between_two_polls_is_reported(world: World):
    job = await world.job()
    follower = Follower(world)
    await follower.look()
    ended = await world.ended(job)
    assert await follower.statuses() == [(ended.id, "succeeded")]


async def test_an_old_run_that_ends_when_many_newer_ones_have(world: World, monkeypatch: Any):
    monkeypatch.setattr(changes, "LOOKED_AT", 3)
    job = await world.job()
    (old,) = await world.trigger(job)
    (claimed,) = await world.claim()
    follower = Follower(world)
    await follower.look()
    for _ in range(5):
        await world.ended(job)
    await world.finish(claimed)
    assert (old.id, "succeeded") in await follower.statuses()


async def test_jobs_and_workers(world: World):
    follower = Follower(world)
    await follower.look()
    job = await world.job(name="report", every="1h")
    await world.pause(job)
    found = await follower.look()
    assert [(entry.action, entry.subject_name) for entry in found.jobs] == [
        ("job.create", "report"),
        ("job.pause", "report"),
    ]


async def test_too_much_at_once(world: World, monkeypatch: Any):
    monkeypatch.setattr(changes, "MOST", 5)
    job = await world.job()
    follower = Follower(world)
    await follower.look()
    await world.trigger(job, 8)
    found = await follower.look()
    assert (len(found.runs), found.too_many) == (5, True)


async def test_a_resumed_follower_gets_the_changes_since_it_left(world: World):
    job = await world.job()
    await world.ended(job)
    since = (await look(world, changes.NOTHING, None)).at
    later = await world.later(minutes=1)
    (run,) = await later.trigger(job)
    found = await look(later, changes.NOTHING, since)
    assert (run.id, "queued") in [(one.id, one.status) for one in found.runs]


async def test_projects_do_not_see_each_other(world: World):
    follower = Follower(world)
    follower.since = await world.now()
    await world.ended()
    found = await world.store.read(
        changes.look, project_id=world.ids.new(), seen=changes.NOTHING, since=follower.since, offline_after=180.0
    )
    assert (list(found.runs), list(found.jobs)) == ([], [])
