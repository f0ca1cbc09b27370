"""Alert rules of a project, broken for real: each opens its alert, and clears it once all is well."""

from tests.contract.watching import beat, evaluate, fail, only, rules, well_again, worker
from tests.contract.world import World


async def test_stranded_runs(world: World):
    await worker(world, offers=("http",))
    job = await world.job(name="report", queue="mail")
    await world.trigger(job, 2)
    later = await world.later(minutes=2)
    await beat(later)
    await evaluate(later)
    alert = await only(later, "nobody_can_take")
    assert (alert.subject_kind, alert.subject_id) == ("queue", "mail")
    assert "2 runs" in alert.title
    assert "python:work" in alert.why
    await worker(later)
    await well_again(later, "nobody_can_take")


async def test_queued_for_long_and_late(world: World):
    await worker(world)
    job = await world.job(name="report")
    await world.trigger(job, 3)
    soon = await world.later(minutes=11)
    await beat(soon)
    await evaluate(soon)
    assert await rules(soon) == ["late"]
    late = await only(soon, "late")
    assert late.subject_id == job.id
    assert "report" in late.why
    assert "This" in late.why or "Job 'report'" in late.why  # what explain says
    later = await world.later(minutes=31)
    await beat(later)
    await evaluate(later)
    assert await rules(later) == ["late", "queued"]
    assert "3 runs" in (await only(later, "queued")).why
    for run in await later.claim():
        await later.finish(run)
    await well_again(later, "queued")


async def test_the_failure_rate(world: World):
    await worker(world)
    good, bad = await world.job(), await world.job()
    for _ in range(17):
        await world.ended(good)
    await fail(world, bad, 2)
    await evaluate(world, failing=0)
    assert await rules(world) == []  # too few to tell
    await fail(world, bad, 2)
    await evaluate(world, failing=0)
    alert = await only(world, "failure_rate")
    assert alert.title == "19 % of recent runs failed"
    assert alert.subject_kind == "project"
    later = await world.later(hours=3)
    await beat(later)
    await evaluate(later, failing=0)
    await well_again(later, "failure_rate", failing=0)


async def test_dead_letters_that_grow(world: World):
    await worker(world)
    job = await world.job()
    await fail(world, job, 10)
    await evaluate(world, failing=0, failure_rate=0)
    assert (await only(world, "dead_letters")).title == "10 new dead letters within an hour"
    later = await world.later(hours=2)
    await beat(later)
    await evaluate(later, failing=0, failure_rate=0)
    await well_again(later, "dead_letters", failing=0, failure_rate=0)
