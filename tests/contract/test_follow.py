"""Jobs that wait for another one: they start in the transaction that ends its run, once for each run, and by their own
overlap rule."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from horae.domain.errors import Conflict, HoraeError, InvalidInput
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.claim import Claimed
from tests.contract.kinds import on_servers
from tests.contract.world import CANCELLED, FAILED, PERMANENT, SUCCEEDED, Row, World


async def follower(world: World, upstream: JobRecord | str, on: str = "success", **fields: Any) -> JobRecord:
    job = upstream if isinstance(upstream, str) else upstream.spec.name
    return await world.job(after={"job": job, "on": on}, **fields)


async def started(world: World, job: JobRecord) -> list[Row]:
    rows = sorted([*await world.live(job), *await world.history(job)], key=lambda row: str(row["id"]))
    return [row for row in rows if row["trigger"] == "after" and row["status"] != "skipped"]


async def end(world: World, job: JobRecord, outcome: Any = SUCCEEDED) -> Claimed:
    run = await world.running(job, queues=[job.spec.queue])
    await world.finish(run, outcome=outcome)
    return run


async def test_the_end_of_a_run_starts_those_that_wait_for_it(world: World) -> None:
    load = await world.job(name="load")
    report = await follower(world, load, queue="slow", priority=7)
    assert (report.next_run_at, report.spec.gate_limit) == (None, 1)
    run = await end(world, load)
    (row,) = await world.live()
    assert (row["job_id"], row["trigger"], row["parent_run_id"], row["held"]) == (report.id, "after", run.id, False)
    assert (row["queue"], row["priority"], row["version"]) == ("slow", 7, 1)
    assert row["occurrence"] is row["scheduled_for"] is None
    await world.finish(*await world.claim(queues=["slow"]))
    assert await world.live() == []


async def test_on_decides_which_outcomes_start_a_follower(world: World) -> None:
    load = await world.job(retry={"max_attempts": 1})
    jobs = {on: await follower(world, load, on, overlap="allow") for on in ("success", "failure", "any")}
    counts = []
    for outcome in (SUCCEEDED, FAILED, PERMANENT, CANCELLED):
        run = await world.running(load)
        if outcome is CANCELLED:
            await world.cancel(run)
        await world.finish(run, outcome=outcome)
        counts.append([len(await started(world, job)) for job in jobs.values()])
    assert counts == [[1, 0, 1], [1, 1, 2], [1, 2, 3], [1, 2, 4]]


async def test_every_way_to_end_starts_them(world: World) -> None:
    load = await world.job(retry={"max_attempts": 1}, start_within=60)
    report = await follower(world, load, "any", overlap="allow")
    parents = []

    async def step(run: Any) -> None:
        parents.append(run["id"] if isinstance(run, dict) else run.id)
        assert [row["parent_run_id"] for row in await started(world, report)] == parents
        for waiting in await world.claim():
            await world.finish(waiting)

    await step(await end(world, load))
    await step(await end(world, load, FAILED))
    lost = await world.running(load)
    assert await (await world.later(seconds=20)).recover() == 1
    await step(lost)
    dead = await world.running(load, worker=(gone := world.ids.new()))
    assert await world.recover(dead=[gone]) == 1
    await step(dead)
    (queued,) = await world.trigger(load)
    await world.cancel(queued)
    await step(queued)
    stopped = await world.running(load)
    await world.cancel(stopped)
    assert len(await started(world, report)) == len(parents), "it has not ended yet"
    await world.finish(stopped, outcome=CANCELLED)
    await step(stopped)
    (overdue,) = await world.trigger(load)
    assert await (await world.later(seconds=90)).expire() == 1
    await step(overdue)


async def test_once_for_each_run(world: World) -> None:
    load = await world.job(overlap="allow")
    report = await follower(world, load, overlap="allow")
    run = await world.running(load)
    await world.finish(run, reply_lost=True)
    assert (await world.finish(run)).refused == (run.id,)
    assert len(await started(world, report)) == 1
    await world.trigger(load, 8)
    runs = [run for run in await world.claim() if run.job_id == load.id]
    one, two, three = await world.crowd(3)
    await asyncio.gather(one.finish(*runs), two.finish(*runs), three.finish(*runs[::-1]))
    parents = [row["parent_run_id"] for row in await started(world, report)]
    assert len(parents) == len(set(parents)) == 9


async def test_a_retried_attempt_starts_no_follower(world: World) -> None:
    load = await world.job(retry={"max_attempts": 3, "delay": 0})
    report = await follower(world, load, "any")
    run = await world.running(load)
    await world.finish(run, outcome=FAILED)
    (again,) = await world.claim()
    later = await world.later(seconds=20)
    assert await later.recover() == 1
    assert await started(world, report) == []
    (last,) = await later.claim()
    assert last.id == again.id == run.id
    await world.finish(last, outcome=FAILED)
    assert len(await started(world, report)) == 1


async def test_a_skipped_occurrence_starts_no_follower(world: World) -> None:
    load = await world.job(every="1h", catch_up="none")
    report = await follower(world, load, "any")
    await (await world.later(hours=5, minutes=30)).fire()
    assert [row["status"] for row in await world.history(load)] == ["skipped"]
    assert await started(world, report) == []


@pytest.mark.parametrize(
    ("overlap", "states", "skipped"),
    [
        ("skip", ["running"], 2),
        ("queue_one", ["running", "held"], 1),
        ("queue_all", ["running", "held", "held"], 0),
        ("cancel_running", ["cancelling", "held", "held"], 0),
        ("allow", ["running", "queued", "queued"], 0),
    ],
)
async def test_at_its_limit_its_own_overlap_rule_decides(
    world: World, overlap: str, states: list[str], skipped: int
) -> None:
    """One of its runs is running when two more ends come, one after the other."""
    load = await world.job(queue="loads")
    report = await follower(world, load, overlap=overlap)
    await end(world, load)
    (running,) = await world.claim()
    runs = [await end(world, load) for _ in range(2)]

    def state(row: Row) -> str:
        if row["cancel_requested_at"] is not None:
            return "cancelling"
        return "held" if row["held"] else str(row["status"])

    assert [state(row) for row in await world.live(report)] == states
    rows = await world.history(report, status="skipped")
    assert [(row["reason"], row["trigger"], row["parent_run_id"]) for row in rows] == [
        ("overlap", "after", run.id) for run in (runs[-skipped:] if skipped else [])
    ]
    assert (await world.totals())["skipped"] == skipped
    await world.finish(running, outcome=CANCELLED if overlap == "cancel_running" else SUCCEEDED)
    while waiting := await world.claim():
        await world.finish(*waiting)
    assert await world.live() == [], "nothing is held for ever"


async def test_cancel_running_ends_an_older_one_that_only_waits(world: World) -> None:
    """In the same transaction; and that is an end, for which others may wait in turn."""
    load = await world.job(queue="loads")
    report = await follower(world, load, overlap="cancel_running")
    mail = await follower(world, report, "any")
    await end(world, load)
    (older,) = await world.live(report)
    await end(world, load)
    (newer,) = await world.live(report)
    assert (newer["held"], (await world.find(older)).status) == (False, "cancelled")
    assert [row["parent_run_id"] for row in await started(world, mail)] == [older["id"]]


async def test_ends_in_one_batch_share_the_places(world: World) -> None:
    load = await world.job(overlap="allow")
    report = await follower(world, load, max_instances=2, overlap="queue_one")
    await world.trigger(load, 5)
    await world.finish(*await world.claim())
    assert [bool(row["held"]) for row in await world.live(report)] == [False, False, True]
    assert len(await world.history(report, status="skipped")) == 2


async def test_a_follower_that_is_off_or_paused_leaves_a_row(world: World) -> None:
    load = await world.job()
    report = await follower(world, load)
    await world.disable(report)
    runs = [await end(world, load)]
    await world.enable(report)
    await world.pause(report)
    runs.append(await end(world, load))
    await world.pause(report, until=await world.now() + timedelta(minutes=1))
    runs.append(await end(world, load))
    rows = await world.history(report)
    assert [(row["status"], row["reason"], row["trigger"]) for row in rows] == [
        ("skipped", "disabled", "after"),
        ("skipped", "paused", "after"),
        ("skipped", "paused", "after"),
    ]
    assert [row["parent_run_id"] for row in rows] == [run.id for run in runs]
    assert all(row["occurrences"] == 1 for row in rows)
    assert (await world.totals())["skipped"] == 3
    await world.roll_up()
    assert (await world.totals())["skipped"] == 3
    later = await world.later(hours=1)
    await end(later, load)
    assert len(await started(world, report)) == 1, "the pause is over, even if no scheduler has seen to it"


async def test_a_chain(world: World) -> None:
    a = await world.job(name="a")
    b = await follower(world, a, name="b")
    c = await follower(world, b, "any", name="c")
    run = await end(world, a)
    (second,) = await world.claim()
    assert (second.job_id, second.trigger) == (b.id, "after")
    assert await started(world, c) == []
    await world.finish(second, outcome=PERMANENT)
    (third,) = await world.claim()
    assert (await world.find(third)).parent_run_id == second.id
    assert (await world.find(second)).parent_run_id == run.id
    await world.finish(third)
    assert await world.live() == []


async def test_upstream_and_follower_that_end_together(world: World) -> None:
    """Both are at their limits: each end opens its own next one, and the follower gets one more."""
    load = await world.job(max_instances=1)
    report = await follower(world, load, overlap="queue_all")
    await end(world, load)
    await world.trigger(load, 2)
    both = await world.claim()
    assert {run.job_id for run in both} == {load.id, report.id}
    await world.finish(*both)
    assert sorted((row["job_id"] == load.id, bool(row["held"])) for row in await world.live()) == [
        (False, False),
        (True, False),
    ]


async def test_run_now_works_for_a_follower(world: World) -> None:
    report = await follower(world, await world.job())
    (run,) = await world.trigger(report)
    assert run.trigger == "api"
    await world.finish(*await world.claim())


# ---- the graph


async def test_a_job_never_waits_for_itself(world: World) -> None:
    with pytest.raises(InvalidInput, match="wait for itself") as caught:
        await follower(world, "me", name="me")
    assert caught.value.field == "schedule.after.job"
    a = await world.job(name="a")
    b = await follower(world, a, name="b")
    await follower(world, b, name="c")
    for upstream in ("a", "b", "c", a.id):
        with pytest.raises(InvalidInput, match="wait for itself"):
            await world.edit(a, after={"job": upstream})
    assert (await world.look(a)).version == 1
    await world.edit(b, manual=True)
    assert (await world.edit(a, after={"job": "c"})).version == 2, "the circle is open now"


async def test_an_unknown_upstream_is_refused(world: World) -> None:
    for upstream in ("nobody", world.ids.new()):
        with pytest.raises(InvalidInput, match="there is no job") as caught:
            await follower(world, upstream, name="lonely")
        assert caught.value.field == "schedule.after.job"
    job = await world.job(name="lonely")
    with pytest.raises(InvalidInput):
        await world.edit(job, after={"job": "nobody"})
    assert (await world.look(job)).version == 1


async def test_edits_at_once_do_not_close_a_circle(world: World) -> None:
    """Neither by waiting for each other, nor over others between them that they do not touch."""
    three = await world.crowd(3)
    for size, apart in ((2, 1), (3, 1), (4, 2), (4, 2), (4, 2)):
        jobs = await world.jobs(size)
        links = list(zip(jobs, jobs[1:] + jobs[:1], strict=True))
        for job, upstream in links[1::apart] if apart > 1 else ():
            await world.edit(job, after={"job": upstream.id})
        racing = links[::apart]
        crowd = three[: len(racing)]
        await asyncio.gather(*(one.now() for one in crowd))  # connected, so that they are at it at the same time
        results = await asyncio.gather(
            *(one.edit(job, after={"job": upstream.id}) for one, (job, upstream) in zip(crowd, racing, strict=True)),
            return_exceptions=True,
        )
        refused = [result for result in results if isinstance(result, Exception)]
        assert [type(error) for error in refused] == [InvalidInput]
        for job in jobs:
            await end(world, job)
        while waiting := await world.claim():
            await world.finish(*waiting)


async def test_a_job_that_others_wait_for_is_not_deleted(world: World) -> None:
    load = await world.job(name="load")
    one, two = await follower(world, load, name="one"), await follower(world, load, name="two")
    with pytest.raises(Conflict, match="one, two"):
        await world.delete(load)
    await world.delete(one)
    with pytest.raises(Conflict, match="two"):
        await world.delete(load)
    await world.edit(two, manual=True)
    await world.delete(load)
    assert await world.rows("SELECT * FROM job_dependencies") == []


async def test_to_delete_and_to_wait_for_at_once_agree(world: World) -> None:
    for _ in range(3):
        load, report = await world.jobs(2)
        one, two = await world.crowd(2)
        deleted, edited = await asyncio.gather(
            one.delete(load), two.edit(report, after={"job": load.id}), return_exceptions=True
        )
        failed = [result for result in (deleted, edited) if isinstance(result, BaseException)]
        assert len(failed) == 1
        assert isinstance(failed[0], Conflict | InvalidInput)
    links = await world.rows(
        "SELECT d.upstream_id, j.id FROM job_dependencies d LEFT JOIN jobs j ON j.id = d.upstream_id"
    )
    assert all(row["id"] is not None for row in links)


async def test_a_new_name_keeps_the_link(world: World) -> None:
    load = await world.job(name="load")
    report = await follower(world, load)
    await world.edit(load, name="load all")
    await world.job(name="load")  # someone else of the old name
    await end(world, load)
    assert len(await started(world, report)) == 1
    await world.edit(report, description="still waits for the same")
    await world.edit(report, after={"job": "load", "on": "any"})
    await world.finish(*await world.claim())
    await end(world, load, PERMANENT)
    assert len(await started(world, report)) == 2, "what was saved is the job, not its name"


async def test_an_edit_moves_the_link(world: World) -> None:
    one, two = await world.jobs(2)
    report = await follower(world, one, overlap="allow")
    await world.edit(report, after={"job": two.id, "on": "failure"})
    await end(world, one)
    await end(world, two)
    assert await started(world, report) == []
    await end(world, two, PERMANENT)
    assert len(await started(world, report)) == 1
    await world.rollback(report, 1)
    await end(world, one)
    assert len(await started(world, report)) == 2


@on_servers
async def test_a_follower_deleted_meanwhile_gets_no_run(world: World) -> None:
    """The second transaction waits: a run of a deleted job would never be cancelled."""
    load = await world.job(overlap="allow")
    for _ in range(5):
        reports = [await follower(world, load, overlap="allow") for _ in range(2)]
        await world.trigger(load, 4)
        runs = await world.claim()
        crowd = await world.crowd(4)
        results = await asyncio.gather(
            crowd[0].finish(*runs[:2]),
            crowd[1].delete(reports[0]),
            crowd[2].finish(*runs[2:]),
            crowd[3].delete(reports[1]),
            return_exceptions=True,
        )
        assert [result for result in results if isinstance(result, HoraeError)] == []
        assert await world.live() == []


async def test_the_bounds_of_a_schedule_hold_for_what_follows_too(world: World) -> None:
    load = await world.job()
    now = await world.now()

    def job(**options: Any) -> Any:
        return world.job(schedule={"after": {"job": load.spec.name}, **options})

    hour = timedelta(hours=1)
    early = await job(start_at=(now + hour).isoformat())
    late = await job(end_at=(now - hour).isoformat())
    closed = await job(blackouts=[{"start": (now - hour).isoformat(), "end": (now + hour).isoformat()}])
    spread_out = await job(jitter=3600)
    inside = await job(start_at=(now - hour).isoformat(), end_at=(now + hour).isoformat())
    await end(world, load)
    assert [len(await started(world, one)) for one in (early, late, closed, spread_out, inside)] == [0, 0, 0, 1, 1]
    assert [row["reason"] for row in await world.history(status="skipped")] == ["blackout"]
    (waits,) = await started(world, spread_out)
    assert now < waits["due_at"] <= now + hour + timedelta(minutes=1)
