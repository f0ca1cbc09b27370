"""Overlap rules: an occurrence that is due while its job is at its limit runs, waits or is skipped, never lost."""

from datetime import timedelta

from horae.domain.runs.states import RunStatus
from tests.contract.ledger import assert_complete, runs_of, skipped_of
from tests.contract.world import CANCELLED, FAILED, World, ids

HOUR = timedelta(hours=1)


async def hours(world: World, count: int) -> list[World]:
    """The same database an hour later, two hours later, and so on."""
    return [await world.later(hours=n, seconds=1) for n in range(1, count + 1)]


async def test_skip_leaves_a_row_that_says_so(world: World) -> None:
    job = await world.job(every="1h", overlap="skip")
    await world.fire()
    first, second = await hours(world, 2)
    await first.fire()
    assert await skipped_of(world, job) == [("overlap", 1)]
    (row,) = await world.history(job)
    assert job.next_run_at is not None
    assert row["scheduled_for"] == row["scheduled_until"] == job.next_run_at + HOUR
    await first.finish(*await first.claim())
    assert (await second.fire()).runs == 1
    await assert_complete(world, job)


async def test_a_run_that_waits_for_its_retry_keeps_its_place(world: World) -> None:
    job = await world.job(every="1h", overlap="skip", retry={"max_attempts": 2, "delay": 80_000, "max_delay": 80_000})
    await world.fire()
    await world.finish(*await world.claim(), outcome=FAILED)
    (first,) = await hours(world, 1)
    assert (await first.fire()).runs == 0
    assert await skipped_of(world, job) == [("overlap", 1)]


async def test_queue_one_lets_one_wait_and_skips_the_rest(world: World) -> None:
    job = await world.job(every="1h", overlap="queue_one")
    await world.fire()
    for later in await hours(world, 3):
        await later.fire()
    assert [bool(run["held"]) for run in await world.live(job)] == [False, True]
    assert await skipped_of(world, job) == [("overlap", 1), ("overlap", 1)]
    await assert_complete(world, job)


async def test_queue_all_lets_all_wait_their_turn(world: World) -> None:
    job = await world.job(every="1h", overlap="queue_all")
    await world.fire()
    *_, last = [later for later in await hours(world, 3) if (await later.fire()).runs == 1]
    assert [bool(run["held"]) for run in await world.live(job)] == [False, True, True, True]
    turns = []
    for _ in range(4):
        (run,) = await last.claim()
        turns.append(run.scheduled_for)
        await last.finish(run)
    assert turns == await runs_of(world, job)
    await assert_complete(world, job)


async def test_cancel_running_asks_the_older_to_go_and_waits_until_it_is_dead(world: World) -> None:
    job = await world.job(every="1h", overlap="cancel_running")
    await world.fire()
    (older,) = await world.claim()
    (first,) = await hours(world, 1)
    await first.fire()
    assert await first.claim() == []
    assert (await world.find(older)).cancel_requested_at is not None
    await first.finish(older, outcome=CANCELLED)
    (newer,) = await first.claim()
    assert newer.id != older.id
    assert (await world.find(older)).status == RunStatus.CANCELLED
    await assert_complete(world, job)


async def test_cancel_running_ends_an_older_one_that_only_waits(world: World) -> None:
    job = await world.job(every="1h", overlap="cancel_running")
    await world.fire()
    (waiting,) = await world.live()
    (first,) = await hours(world, 1)
    await first.fire()
    assert (await world.find(waiting)).status == RunStatus.CANCELLED
    (newer,) = await first.claim()
    assert job.next_run_at is not None
    assert newer.scheduled_for == job.next_run_at + HOUR


async def test_cancel_running_never_cancels_what_it_makes_room_for(world: World) -> None:
    """Of two places one is taken; of two occurrences at once one takes the free place, the other that of the older."""
    job = await world.job(every="10s", overlap="cancel_running", max_instances=2)
    await world.fire()
    (older,) = await world.claim()
    later = await world.later(seconds=25)
    assert (await later.fire()).runs == 2
    assert (await world.find(older)).cancel_requested_at is not None
    assert await world.history(job) == []
    assert sorted((bool(run["held"]), run["status"]) for run in await world.live(job)) == [
        (False, "queued"),
        (False, "running"),
        (True, "queued"),
    ]


async def test_cancel_running_cancels_no_more_than_it_needs(world: World) -> None:
    job = await world.job(every="1h", overlap="cancel_running", max_instances=3)
    await world.fire()
    first, second, third = await hours(world, 3)
    await first.fire()
    await second.fire()
    runs = await second.claim()
    assert len(runs) == 3
    await third.fire()
    asked = [run for run in await world.live(job) if run["cancel_requested_at"] is not None]
    assert [run["occurrence"] for run in asked] == [job.next_run_at], "the oldest, and it alone"


async def test_allow_has_no_limit(world: World) -> None:
    job = await world.job(every="1h", overlap="allow", max_instances=1)
    await world.fire()
    for later in await hours(world, 2):
        await later.fire()
    assert len(await later.claim()) == 3
    await assert_complete(world, job)


async def test_a_higher_limit_takes_as_many(world: World) -> None:
    job = await world.job(every="1h", max_instances=2, overlap="skip")
    await world.fire()
    for later in await hours(world, 3):
        await later.fire()
    assert len(await runs_of(world, job)) == 2
    assert sum(count for _, count in await skipped_of(world, job)) == 2
    await assert_complete(world, job)


async def test_manual_triggers_at_the_limit_wait_their_turn(world: World) -> None:
    job = await world.job(every="1h", overlap="skip")
    await world.fire()
    waiting = [run for _ in range(3) for run in await world.trigger(job)]
    assert [run.held for run in waiting] == [True, True, True]
    turns = []
    for _ in range(4):
        (run,) = await world.claim()
        turns.append(run.id)
        await world.finish(run)
    assert turns[1:] == [run.id for run in waiting]
    assert ids(await world.history()) == set(turns)


async def test_a_trigger_does_not_overtake_those_that_wait(world: World) -> None:
    job = await world.job(max_instances=2)
    await world.trigger(job, 4)
    assert [run.held for run in await world.trigger(job)] == [True]
    for turn in (2, 2, 1):
        claimed = await world.claim()
        assert len(claimed) == turn
        await world.finish(*claimed)
