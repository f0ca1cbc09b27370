"""Edits of a schedule: what was due under the old one is accounted for by the old rule, in the very transaction that
brings the new one; nothing fires twice, nothing is lost."""

import asyncio
from datetime import timedelta

import pytest

from horae.domain.errors import Conflict, InvalidInput, NotFound, StaleVersion
from tests.contract.ledger import assert_accounted_over_edits, runs_of, skipped_of
from tests.contract.world import Row, World

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


async def reasons(world: World) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in await world.history(status="skipped"):
        found[row["reason"]] = found.get(row["reason"], 0) + row["occurrences"]
    return found


@pytest.mark.parametrize(
    ("catch_up", "runs", "missed"),
    [("last", [4], [4]), ("first", [0], [4]), ("all", [0, 1, 2, 3, 4], []), ("none", [], [5])],
)
async def test_due_occurrences_are_handled_by_the_old_catch_up_rule(
    world: World, catch_up: str, runs: list[int], missed: list[int]
) -> None:
    job = await world.job(every="1h", catch_up=catch_up)
    later = await world.later(hours=4, minutes=30)
    edited = await later.edit(job, cron="0 0 * * *", catch_up="none", overlap="allow", expect=1)
    assert job.next_run_at is not None
    assert [(at - job.next_run_at) / HOUR for at in await runs_of(world, job)] == runs
    assert await skipped_of(world, job) == [("missed", count) for count in missed]
    assert {row["version"] for row in [*await world.live(), *await world.history()]} == {1}
    assert (edited.version, edited.fired_through) == (2, job.next_run_at + 4 * HOUR)
    assert edited.next_run_at is not None
    assert edited.next_run_at > await later.now()
    assert (await later.fire()).jobs == 0
    await assert_accounted_over_edits(world, job)


async def test_it_is_fired_under_the_old_limit(world: World) -> None:
    """A scheduler would have found the job at its limit, and so does the edit."""
    job = await world.job(every="1h", overlap="skip")
    await world.fire()
    await world.claim()
    await (await world.later(hours=1, seconds=1)).edit(job, every="2h", overlap="allow")
    assert await reasons(world) == {"overlap": 1}
    assert len(await runs_of(world, job)) == 1
    await assert_accounted_over_edits(world, job)


async def test_an_edit_that_leaves_the_schedule_alone_leaves_its_place_alone(world: World) -> None:
    job = await world.job(every="1h", overlap="allow")
    await world.fire()
    later = await world.later(hours=2, minutes=30)
    edited = await later.edit(job, description="changed", catch_up="all")
    before = await world.look(job)
    assert (edited.anchor_at, edited.next_run_at) == (job.anchor_at, before.next_run_at)
    assert len(await world.live()) == 1
    assert (await later.fire()).runs == 2, "by the new rule: it was not yet decided"
    await assert_accounted_over_edits(world, job)


async def test_what_lies_in_a_blackout_is_accounted_for_too(world: World) -> None:
    """`next_run_at` is beyond the blackout, but occurrences before the edit were the old schedule's."""
    now = await world.now()
    blackout = {"start": now + 30 * MINUTE, "end": now + 90 * MINUTE}
    job = await world.job(cron="* * * * *", overlap="allow", blackouts=[blackout])
    late = await world.later(minutes=29)
    await late.fire()
    later = await world.later(minutes=60)
    await later.fire()
    inside = await later.look(job)
    assert inside.next_run_at is not None
    assert inside.next_run_at > await later.now()
    await later.edit(job, cron="*/7 * * * *")
    assert (await reasons(world))["blackout"] in (30, 31)
    await (await world.later(hours=2)).edit(job, manual=True)
    await assert_accounted_over_edits(world, job)


async def test_nothing_runs_by_an_edit_of_a_paused_job(world: World) -> None:
    for seconds in (20, 10_000):  # merely late, and missed
        job = await world.job(every="15s", overlap="allow", catch_up="all")
        await world.fire()
        runs = await runs_of(world, job)
        await world.pause(job)
        later = await world.later(seconds=seconds)
        edited = await later.edit(job, every="1h")
        assert edited.paused
        assert await runs_of(world, job) == runs
        assert {reason for reason, _ in await skipped_of(world, job)} == {"missed"}
        assert (await later.fire()).jobs == 0
        await later.resume(job)
        assert (await later.fire()).runs == 1
        await assert_accounted_over_edits(world, job)
        await later.delete(job)


async def test_a_pause_that_is_over_holds_no_edit_back(world: World) -> None:
    job = await world.job(every="1h", catch_up="last")
    await world.pause(job, until=await world.now() + 30 * MINUTE)
    later = await world.later(hours=2, minutes=30)
    await later.edit(job, every="1d")
    assert len(await runs_of(world, job)) == 1
    await assert_accounted_over_edits(world, job)


async def test_edits_of_a_disabled_job_leave_one_row_for_each_schedule(world: World) -> None:
    job = await world.job(every="1h")
    await world.fire()
    await world.disable(job)
    for minutes, every in ((190, "30m"), (320, "20m"), (390, "1h")):
        edited = await (await world.later(minutes=minutes)).edit(job, every=every)
        assert (edited.enabled, edited.next_run_at) == (False, None)
    last = await world.later(hours=8)
    on = await last.enable(job)
    assert on.next_run_at == on.anchor_at + 2 * HOUR
    assert await skipped_of(world, job) == [("disabled", count) for count in (3, 5, 4, 2)]
    await assert_accounted_over_edits(world, job)


async def test_back_and_forth_never_fires_an_occurrence_twice(world: World) -> None:
    """Both schedules share instants; `fired_through` never goes back."""
    job = await world.job(cron="* * * * *", overlap="allow")
    through = None
    for n in range(1, 9):
        later = await world.later(seconds=40 * n)
        await later.fire()
        edited = await later.edit(job, cron="*/2 * * * *" if n % 2 else "* * * * *")
        assert edited.fired_through is not None or through is None
        if through is not None and edited.fired_through is not None:
            assert edited.fired_through >= through
        through = edited.fired_through
        await later.fire()
    times = await runs_of(world, job)
    assert len(times) == len(set(times)) >= 3
    await assert_accounted_over_edits(world, job)


async def test_a_new_schedule_goes_on_from_now(world: World) -> None:
    job = await world.job(manual=True)
    later = await world.later(hours=5)
    edited = await later.edit(job, every="1h")
    assert edited.next_run_at == edited.anchor_at
    assert (await later.fire()).runs == 1
    await (await world.later(hours=6, minutes=1)).edit(job, manual=True)
    assert (await world.look(job)).next_run_at is None
    assert len(await runs_of(world, job)) == 2, "what was due at the second edit fired with it"
    await assert_accounted_over_edits(world, job)


@pytest.mark.parametrize("new", [{"at": 3 * HOUR}, {"at": -HOUR}], ids=["future", "past"])
async def test_to_a_single_instant(world: World, new: Row) -> None:
    job = await world.job(manual=True)
    later = await world.later(hours=9)
    at = await later.now() + new["at"]
    edited = await later.edit(job, at=at)
    assert edited.next_run_at == at
    last = await world.later(hours=13)
    assert (await last.fire()).runs == 1
    assert await runs_of(world, job) == [at]
    again = await last.edit(job, at=at, jitter=1)
    assert again.next_run_at is None, "it was fired"
    assert (await last.fire()).jobs == 0
    await assert_accounted_over_edits(world, job)


async def test_more_runs_let_a_finished_job_go_on(world: World) -> None:
    job = await world.job(every="10s", max_runs=2, overlap="allow")
    later = await world.later(seconds=45)
    assert (await later.fire()).runs == 2
    for max_runs, next_up in ((2, False), (1, False), (3, True)):
        edited = await later.edit(job, every="10s", max_runs=max_runs, jitter=max_runs)
        assert (edited.next_run_at is not None) == next_up
    last = await world.later(seconds=300)
    await last.fire()
    assert len(await runs_of(world, job)) == 3
    assert (await world.look(job)).next_run_at is None
    await assert_accounted_over_edits(world, job)


# ---- versions


async def test_edits_create_versions_but_pause_and_enable_do_not(world: World) -> None:
    job = await world.job(every="1h", description="one")
    await world.edit(job, description="two")
    await world.pause(job)
    await world.disable(job)
    await world.enable(job)
    await world.resume(job)
    await world.edit(job, every="2h")
    versions = await world.versions(job)
    assert [version.version for version in versions] == [3, 2, 1]
    assert [version.spec.description for version in versions] == ["two", "two", "one"]
    assert [version.created_by for version in versions] == ["editor", "editor", "tester"]
    assert versions[0].spec.schedule != versions[1].spec.schedule


async def test_a_rollback_is_a_new_version_with_the_old_definition(world: World) -> None:
    job = await world.job(every="1h", description="one", catch_up="all")
    await world.fire()
    await world.edit(job, every="10m", description="two", catch_up="none")
    later = await world.later(hours=1, minutes=5)
    back = await later.rollback(job, 1, expect=2)
    assert (back.version, back.spec) == (3, job.spec)
    newest = (await world.versions(job))[0]
    assert (newest.note, newest.created_by) == ("rollback to version 1", "editor")
    assert await reasons(world) == {"missed": 7}, "by the rule of version 2"
    await assert_accounted_over_edits(world, job)
    with pytest.raises(StaleVersion):
        await later.rollback(job, 2, expect=2)
    with pytest.raises(NotFound, match="no version 9"):
        await later.rollback(job, 9)
    assert (await later.rollback(job, 1)).version == 3, "nothing to change"


async def test_a_rollback_to_a_name_that_is_taken_is_refused(world: World) -> None:
    job = await world.job(name="first", every="1h")
    await world.edit(job, name="second")
    await world.job(name="first")
    with pytest.raises(Conflict, match="first"):
        await world.rollback(job, 1)
    assert (await world.look(job)).version == 2


async def test_of_edits_at_once_one_wins_and_the_others_are_stale(world: World) -> None:
    job = await world.job(every="10s", overlap="allow")
    crowd = [await world.later(seconds=25) for _ in range(5)]
    results = await asyncio.gather(
        *(one.edit(job, every=f"{20 + n}s", expect=1) for n, one in enumerate(crowd)), return_exceptions=True
    )
    assert sum(isinstance(result, StaleVersion) for result in results) == 4
    assert (await world.look(job)).version == 2
    assert len(await runs_of(world, job)) == 3, "the old schedule was accounted for once"
    await crowd[0].fire()
    await assert_accounted_over_edits(world, job)


async def test_an_edit_whose_reply_was_lost_is_not_made_twice(world: World) -> None:
    job = await world.job(every="1h", catch_up="all", overlap="allow")
    later = await world.later(hours=2, minutes=30)
    edited = await later.edit(job, every="2h", expect=1, reply_lost=True)
    assert edited.version == 2
    assert len(await runs_of(world, job)) == 3
    await assert_accounted_over_edits(world, job)


async def test_an_instant_before_what_was_fired_is_refused_not_forgotten(world: World) -> None:
    """It could neither run nor leave a row: everything up to there is accounted for."""
    job = await world.job(every="1h", overlap="allow")
    await world.fire()
    job = await world.look(job)
    assert job.fired_through is not None
    for at in (job.fired_through, job.fired_through - HOUR):
        with pytest.raises(InvalidInput, match=r"must be later than .*, up to where this job has already run") as bad:
            await world.edit(job, at=at.isoformat())
        assert bad.value.field == "schedule.at"
    assert (await world.look(job)).version == 1
    later = await world.later(minutes=30)
    edited = await later.edit(job, at=(job.fired_through + MINUTE).isoformat())  # past, but never accounted for
    assert (edited.next_run_at, (await later.fire()).runs) == (job.fired_through + MINUTE, 1)
