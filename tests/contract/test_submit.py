"""Submit: jobs are saved, edited and deleted; runs are triggered. Repeating a request by its id changes nothing."""

import asyncio
from datetime import timedelta

import pytest

from horae.domain.errors import Conflict, NotFound, StaleVersion
from horae.domain.runs.states import RunStatus
from horae.lifecycle.deletion import PORTION
from tests.contract.world import FAILED, IDS, World, ids


async def test_a_job_is_saved_with_its_first_occurrence(world: World) -> None:
    before = await world.now()
    job = await world.job(name="report", every="1h")
    assert (job.version, job.enabled, job.fired_through) == (1, True, None)
    assert job.next_run_at is not None
    assert before <= job.next_run_at <= await world.now()
    assert await world.look("report") == await world.look(job.id) == job


async def test_a_disabled_or_manual_job_has_no_next_run(world: World) -> None:
    assert (await world.job(every="1h", enabled=False)).next_run_at is None
    assert (await world.job(manual=True)).next_run_at is None


async def test_names_are_unique(world: World) -> None:
    await world.job(name="report")
    with pytest.raises(Conflict, match="'report' exists already"):
        await world.job(name="report")
    assert len(await world.rows("SELECT id FROM jobs")) == 1


async def test_names_that_differ_by_case_or_accent_are_different(world: World) -> None:
    names = ["resume", "Resume", "résumé", "re\u0301sume\u0301", "rеsume", "straße", "strasse", "x😀", "x😁"]
    made = [(await world.job(name=name)).id for name in names]
    assert [(await world.look(name)).id for name in names] == made


async def test_names_that_would_mean_something_in_sql_are_just_names(world: World) -> None:
    for name in ["it's", 'say "hi"', "50%", "a_b", "back\\slash", ":id", "$1", "?", "%s", "`tick`", "--", "{x}"]:
        job = await world.job(name=name, description=name, queue=name)
        found = await world.look(name)
        assert (found.id, found.spec.description, found.spec.queue) == (job.id, name, name)


async def test_a_name_that_looks_almost_like_an_id_is_a_name(world: World) -> None:
    job = await world.job(name="-0000-" + "0" * 27 + "0--")
    assert (await world.look(job.spec.name)).id == job.id


async def test_of_two_that_create_the_same_name_at_once_one_wins(world: World) -> None:
    one, two = await world.crowd(2)
    answers = await asyncio.gather(one.job(name="report"), two.job(name="report"), return_exceptions=True)
    assert [type(answer) for answer in answers if isinstance(answer, BaseException)] == [Conflict]
    assert len(await world.rows("SELECT id FROM jobs")) == 1
    assert len(await world.rows("SELECT job_id FROM job_versions")) == 1


async def test_creating_again_with_the_same_id_gives_the_same_job(world: World) -> None:
    job_id = IDS.new()
    first = await world.job(id=job_id, name="report", every="1h")
    assert await world.job(id=job_id, name="report", every="1h") == first
    assert len(await world.rows("SELECT job_id FROM job_versions")) == 1


# ---- edits


async def test_an_edit_makes_a_new_version_and_leaves_the_old_one_as_it_was(world: World) -> None:
    job = await world.job(description="first")
    old = await world.rows("SELECT * FROM job_versions")
    edited = await world.edit(job, description="second")
    assert (edited.version, edited.spec.description) == (2, "second")
    versions = await world.rows("SELECT * FROM job_versions ORDER BY version")
    assert versions[:1] == old
    assert [row["created_by"] for row in versions] == ["tester", "editor"]


async def test_an_edit_that_changes_nothing_makes_no_version(world: World) -> None:
    job = await world.job(description="first")
    assert await world.edit(job, description="first") == job


async def test_an_edit_of_an_older_version_is_refused(world: World) -> None:
    job = await world.job()
    await world.edit(job, description="mine", expect=1)
    with pytest.raises(StaleVersion):
        await world.edit(job, description="theirs", expect=1)
    assert (await world.look(job)).spec.description == "mine"


async def test_of_two_edits_at_once_one_wins(world: World) -> None:
    job = await world.job()
    one, two = await world.crowd(2)
    answers = await asyncio.gather(
        one.edit(job, description="one", expect=1),
        two.edit(job, description="two", expect=1),
        return_exceptions=True,
    )
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert [type(answer) for answer in refused] == [StaleVersion]
    assert (await world.look(job)).version == 2


async def test_edits_without_a_version_come_one_after_the_other(world: World) -> None:
    job = await world.job()
    crowd = await world.crowd(4)
    await asyncio.gather(*(one.edit(job, description=f"edit {n}") for n, one in enumerate(crowd)))
    assert (await world.look(job)).version == 5
    assert len(await world.rows("SELECT job_id FROM job_versions")) == 5


async def test_an_edit_whose_answer_was_lost_is_made_once(world: World) -> None:
    job = await world.job()
    edited = await world.edit(job, description="mine", expect=1, reply_lost=True)
    assert (edited.version, edited.spec.description) == (2, "mine")


async def test_a_job_cannot_take_the_name_of_another(world: World) -> None:
    await world.job(name="report")
    job = await world.job(name="other")
    with pytest.raises(Conflict, match="'report' exists already"):
        await world.edit(job, name="report")
    assert (await world.look(job)).spec.name == "other"
    assert await world.rows("SELECT version FROM job_versions WHERE job_id = :id", id=job.id) == [{"version": 1}]


async def test_a_renamed_job_is_found_by_its_new_name_only(world: World) -> None:
    job = await world.job(name="old")
    await world.edit(job, name="new")
    assert (await world.look("new")).id == job.id
    with pytest.raises(NotFound):
        await world.edit("old", description="x")


async def test_an_edit_that_leaves_the_schedule_alone_leaves_the_next_run_alone(world: World) -> None:
    job = await world.job(every="1h")
    later = await world.later(hours=2)
    edited = await later.edit(job, description="other", retry={"max_attempts": 7}, priority=9)
    assert (edited.next_run_at, edited.anchor_at) == (job.next_run_at, job.anchor_at)


async def test_a_new_schedule_goes_on_from_now(world: World) -> None:
    job = await world.job(every="1h")
    later = await world.later(minutes=10)
    edited = await later.edit(job, every="10m")
    assert edited.next_run_at == edited.anchor_at
    assert job.next_run_at is not None
    assert edited.next_run_at is not None
    assert edited.next_run_at - job.next_run_at >= timedelta(minutes=10)


async def test_an_edit_to_manual_stops_the_schedule_and_back_starts_it(world: World) -> None:
    job = await world.job(every="1h")
    assert (await world.edit(job, manual=True)).next_run_at is None
    assert (await world.edit(job, every="1h")).next_run_at is not None


async def test_an_unknown_job_cannot_be_edited_deleted_or_triggered(world: World) -> None:
    for attempt in (world.edit("ghost", description="x"), world.delete("ghost"), world.trigger("ghost")):
        with pytest.raises(NotFound, match="ghost"):
            await attempt


# ---- deletion


async def test_deleting_cancels_what_is_queued_asks_what_runs_and_keeps_history(world: World) -> None:
    job = await world.job()
    ended = await world.ended(job)
    running = await world.running(job)
    (queued,) = await world.trigger(job)
    await world.delete(job)
    assert await world.rows("SELECT id FROM jobs") == []
    assert (await world.find(ended)).status == RunStatus.SUCCEEDED
    assert (await world.find(queued)).status == RunStatus.CANCELLED
    asked = await world.find(running)
    assert asked.status == RunStatus.RUNNING
    assert asked.cancel_requested_at is not None
    assert asked.job_name == job.spec.name


async def test_a_late_repetition_creates_no_second_run(world: World) -> None:
    """A server that stood still while another did what it was asked: the same request, with the same id."""
    job = await world.job()
    (run,) = await world.trigger(job)
    with pytest.raises(Conflict, match="exists already"):
        await world.trigger(job, id=run.id)
    await world.finish(*await world.claim())
    with pytest.raises(Conflict, match="exists already"):
        await world.trigger(job, id=run.id)
    assert await world.live(job) == []


async def test_a_run_of_a_deleted_job_is_not_tried_again(world: World) -> None:
    job = await world.job()
    running = await world.running(job)
    await world.delete(job)
    await world.finish(running, outcome=FAILED)
    assert (await world.find(running)).status == RunStatus.CANCELLED
    assert await world.live() == []


async def test_the_name_of_a_deleted_job_is_free(world: World) -> None:
    first = await world.job(name="report", every="1h")
    await world.delete(first)
    assert (await world.job(name="report")).id != first.id


async def test_a_deleted_job_leaves_no_gate_and_fires_no_more(world: World) -> None:
    job = await world.job(every="1h", max_instances=2)
    await world.delete(job)
    assert (await world.fire()).jobs == 0
    assert await world.rows("SELECT job_id FROM job_gates") == []


async def test_deleting_while_triggering_leaves_nothing_queued(world: World) -> None:
    """Whichever comes first: a run is cancelled with its job, or it is refused with it."""
    for limit in (None, 3):
        job = await world.job(max_instances=limit)
        crowd = await world.crowd(4)
        triggers = [one.trigger(job) for one in crowd[:3]]
        await asyncio.gather(*triggers, crowd[3].delete(job), return_exceptions=True)
        assert await world.live(job) == []


async def test_very_many_runs_are_cancelled_in_portions(world: World) -> None:
    """The job is gone at once and so is what could start more; a scheduler does the rest, whichever process began."""
    job = await world.job(every="1h", max_instances=3)
    running = await world.running(job)
    await world.trigger(job, PORTION + 200)
    await world.delete(job)
    assert await world.rows("SELECT id FROM jobs") == []
    assert (await world.job(name=job.spec.name)).id != job.id
    left = await world.live(job)
    assert len(left) == 202
    assert (await world.find(running)).cancel_requested_by == "tester"
    assert "deletions" in await world.store.read(lambda tx: tx.upkeep.chores())
    assert all(row["held"] for row in left if row["id"] != running.id), "none of them may start"
    assert [await world.carry_out(limit=150) for _ in range(3)] == [150, 51, 0]
    assert "deletions" not in await world.store.read(lambda tx: tx.upkeep.chores())
    assert ids(await world.live(job)) == {running.id}
    await world.finish(running, outcome=FAILED)
    assert len(await world.history(job, status="cancelled")) == PORTION + 201
    await world.roll_up()
    assert (await world.totals())["cancelled"] == PORTION + 201


async def test_a_run_that_was_taken_before_its_portion_came_is_asked_to_stop(world: World) -> None:
    job = await world.job()
    await world.trigger(job, PORTION + 1)
    await world.delete(job)
    (taken,) = await world.claim()
    assert await world.carry_out() == 1
    assert (await world.find(taken)).cancel_requested_at is not None
    await world.finish(taken, outcome=FAILED)
    assert await world.live() == []


async def test_schedulers_share_deletions_and_do_each_run_once(world: World) -> None:
    jobs = [await world.job() for _ in range(2)]
    for job in jobs:
        await world.trigger(job, PORTION + 30)
        await world.delete(job)

    async def carry_out(one: World) -> None:
        while "deletions" in await one.store.read(lambda tx: tx.upkeep.chores()):
            await one.carry_out(limit=10)

    await asyncio.gather(*map(carry_out, await world.crowd(3)))
    assert await world.live() == []
    assert len(await world.history(status="cancelled")) == 2 * (PORTION + 30)


# ---- triggers


async def test_a_triggered_run_is_queued_now_with_what_it_was_given(world: World) -> None:
    job = await world.job(priority=3, queue="slow")
    before = await world.now()
    (run,) = await world.trigger(job, input='{"n": [1, null, "ü😀"]}')
    assert (run.status, run.attempt, run.held) == (RunStatus.QUEUED, 0, False)
    assert (run.priority, run.queue, run.input) == (3, "slow", {"n": [1, None, "ü😀"]})
    assert (run.trigger, run.triggered_by, run.job_name) == ("api", "tester", job.spec.name)
    assert before <= run.due_at <= await world.now()
    assert run.scheduled_for is None


async def test_a_trigger_may_choose_time_and_priority(world: World) -> None:
    at = await world.now() + timedelta(hours=5)
    (run,) = await world.trigger(await world.job(), run_at=at, priority=9)
    assert (run.due_at, run.priority) == (at, 9)


async def test_many_runs_can_be_triggered_at_once(world: World) -> None:
    runs = await world.trigger(await world.job(), 250)
    assert len(ids(runs)) == len(await world.live()) == 250


async def test_a_trigger_whose_answer_was_lost_makes_no_second_run(world: World) -> None:
    job = await world.job(max_instances=2)
    runs = await world.trigger(job, 3, reply_lost=True)
    assert ids(runs) == ids(await world.live())
    assert [run.held for run in runs] == [False, False, True]


async def test_a_run_id_is_taken_once(world: World) -> None:
    job, run_id = await world.job(), IDS.new()
    await world.trigger(job, id=run_id)
    for other in (job, await world.job()):
        with pytest.raises(Conflict):
            await world.trigger(other, id=run_id)
    assert len(await world.live()) == 1


async def test_a_run_keeps_the_version_it_was_made_of(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2})
    (run,) = await world.trigger(job)
    await world.edit(job, retry={"max_attempts": 9})
    assert (await world.find(run)).max_attempts == 2
    (newer,) = await world.trigger(job)
    assert (await world.find(newer)).max_attempts == 9


async def test_run_now_works_while_a_job_is_disabled(world: World) -> None:
    job = await world.job(every="1h", enabled=False)
    assert len(await world.trigger(job)) == 1


async def test_a_foreign_project_sees_and_changes_nothing(world: World) -> None:
    job = await world.job(name="report")
    (run,) = await world.trigger(job)
    stranger = await world.later()
    stranger.project = IDS.new()
    for attempt in (
        stranger.edit("report", description="x"),
        stranger.delete(job),
        stranger.trigger(job),
        stranger.cancel(run),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await stranger.page()).items == []
    assert (await world.look(job)).version == 1
    assert (await world.find(run)).status == RunStatus.QUEUED
