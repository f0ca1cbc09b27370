"""A run requested for later takes no place of its job until it is due; then it waits for its turn."""

from datetime import timedelta

from horae.lifecycle import explain
from tests.contract.ledger import skipped_of
from tests.contract.world import World, ids


async def test_the_schedule_goes_on_meanwhile(world: World) -> None:
    job = await world.job(every="1h", max_instances=1, overlap="skip")
    await world.fire()
    await world.finish(*await world.claim())
    await world.trigger(job, run_at=await world.now() + timedelta(days=1))
    for hour in (1, 2, 3):
        later = await world.later(hours=hour)
        assert (await later.fire()).runs == 1
        await later.finish(*await later.claim())
    assert await skipped_of(world, job) == []


async def test_so_do_people(world: World) -> None:
    job = await world.job(max_instances=1)
    await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    (now,) = await world.trigger(job)
    assert ids(await world.claim()) == {now.id}


async def test_it_starts_when_its_time_has_come(world: World) -> None:
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    assert (await world.fire()).idle_for is not None, "a scheduler knows when it has to look for a place"
    assert await world.claim() == []
    later = await world.later(hours=1, seconds=1)
    assert await later.claim() == [], "nobody has looked for a place yet"
    await later.fire()
    assert ids(await later.claim()) == {run.id}


async def test_it_waits_while_the_place_is_taken(world: World) -> None:
    job = await world.job(max_instances=1)
    (delayed,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    later = await world.later(hours=1, seconds=1)
    running = await later.running(job)
    (behind,) = await later.trigger(job)
    await later.fire()
    assert await later.claim() == []
    await later.finish(running)
    assert ids(await later.claim()) == {delayed.id}, "it was asked for first"
    assert (await later.find(behind)).status == "queued"


async def test_others_do_not_wait_behind_it(world: World) -> None:
    job = await world.job(max_instances=2)
    await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    runs = await world.trigger(job, 3)
    first = await world.claim()
    assert ids(first) == {run.id for run in runs[:2]}
    await world.finish(*first)
    assert ids(await world.claim()) == {runs[2].id}


async def test_a_limit_that_is_taken_away_leaves_it_its_time(world: World) -> None:
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    await world.edit(job, max_instances=None)
    assert await world.claim() == []
    later = await world.later(hours=1, seconds=1)
    assert ids(await later.claim()) == {run.id}


async def test_it_can_be_cancelled(world: World) -> None:
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    await world.cancel(run)
    assert (await world.find(run)).status == "cancelled"
    later = await world.later(hours=2)
    await later.fire()
    assert await later.claim() == []


async def test_why_says_that_it_waits_for_its_time_and_not_for_a_place(world: World) -> None:
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    found = await world.store.read(explain.explain_run, project_id=world.project, run_id=run.id)
    assert {gate.name: gate.state for gate in found.gates} | {"held": "open", "due": "closed"} == {
        gate.name: gate.state for gate in found.gates
    }


async def test_a_limit_that_comes_later_leaves_it_its_time(world: World) -> None:
    """It was queued when the job had no limit, and so it was not held."""
    job = await world.job(every="1h", max_instances=None, overlap="allow")
    await world.fire()
    await world.finish(*await world.claim())
    (delayed, other) = [
        (await world.trigger(job, run_at=await world.now() + timedelta(days=days)))[0] for days in (1, 2)
    ]
    await world.edit(job, max_instances=1, overlap="skip")
    later = await world.later(hours=1, seconds=1)
    assert (await later.fire()).runs == 1
    await later.finish(*await later.claim())
    assert await skipped_of(world, job) == []
    next_day = await world.later(days=1, seconds=1)
    await next_day.pause(job)
    await next_day.fire()
    assert ids(await next_day.claim()) == {delayed.id}
    assert (await world.find(other)).status == "queued"


async def test_one_that_an_older_process_has_let_go_keeps_no_scheduler_busy(world: World) -> None:
    """It does not use `wake_at`, which stays, and passes, while the run waits for a worker and runs."""
    job = await world.job(max_instances=1)
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(hours=1))
    await world.execute("UPDATE runs SET held = FALSE WHERE id = :id", id=run.id)
    later = await world.later(hours=1, seconds=1)
    assert (await later.fire()).idle_for is None
    assert ids(await later.claim()) == {run.id}
    assert (await later.fire()).idle_for is None


async def test_very_many_are_woken_in_portions(world: World) -> None:
    job = await world.job(max_instances=1)
    runs = await world.trigger(job, 10, run_at=await world.now() + timedelta(hours=1))
    later = await world.later(hours=1, seconds=1)
    asleep = []
    for _ in range(3):
        fired = await later.fire(limit=4)
        asleep.append((len(await world.rows("SELECT id FROM runs WHERE wake_at IS NOT NULL")), fired.idle_for))
    assert asleep == [(6, 0), (2, 0), (0, None)]
    order = []
    while claimed := await later.claim():
        order += [run.id for run in claimed]
        await later.finish(*claimed)
    assert sorted(order) == sorted(run.id for run in runs)
