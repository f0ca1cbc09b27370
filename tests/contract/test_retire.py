"""What jobs leave behind: old versions, finished one-time jobs, and data of deleted jobs."""

from datetime import timedelta
from typing import Any

from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.retention import DAY, Retention
from horae.domain.text.ids import NIL
from horae.lifecycle import retire
from horae.lifecycle.retire import ACTOR, retire_finished
from tests.contract.damage import put
from tests.contract.noting import noted
from tests.contract.world import PERMANENT, World

COUNTERS = ("job_stats", "run_stats", "run_days", "skip_stats")


async def numbers(world: World) -> list[int]:
    return [row["version"] for row in await world.rows("SELECT version FROM job_versions ORDER BY version")]


async def edited(world: World, job: JobRecord, times: int) -> None:
    for n in range(times):
        await world.edit(job, description=str(n))


# ---- versions


async def test_versions_are_kept_by_count_and_by_age(world: World) -> None:
    job = await world.job()
    await edited(world, job, 5)
    later = await world.later(days=9)
    await later.retire(versions_kept=3, versions=10 * DAY)
    assert await numbers(world) == [1, 2, 3, 4, 5, 6], "too young"
    later = await world.later(days=11)
    await later.retire(versions_kept=6, versions=10 * DAY)
    assert await numbers(world) == [1, 2, 3, 4, 5, 6], "too few"
    await later.retire(versions_kept=3, versions=10 * DAY, limit=1)
    await later.retire(versions_kept=3, versions=10 * DAY)
    assert await numbers(world) == [4, 5, 6]


async def test_versions_that_runs_name_stay(world: World) -> None:
    job = await world.job()
    await world.ended(job)  # of version 1
    await world.edit(job, description="2")
    (queued,) = await world.trigger(job)
    await world.edit(job, description="3")
    dead = await world.ended(await world.job(), PERMANENT)
    await edited(world, await world.look(dead.job_id), 3)
    await edited(world, job, 4)
    later = await world.later(days=99)
    await later.prune(days=200)
    await later.retire(versions_kept=1, versions=10 * DAY)
    mine = "SELECT version FROM job_versions WHERE job_id = :id ORDER BY version"
    assert [row["version"] for row in await world.rows(mine, id=job.id)] == [1, 2, 7]
    assert [row["version"] for row in await world.rows(mine, id=dead.job_id)] == [1, 4]
    assert (await world.find(queued)).job_name == job.spec.name
    await later.prune(days=10)
    await later.retire(versions_kept=1, versions=10 * DAY)
    assert [row["version"] for row in await world.rows(mine, id=job.id)] == [2, 7]
    assert [row["version"] for row in await world.rows(mine, id=dead.job_id)] == [1, 4], "a dead letter names it"


# ---- jobs that were deleted


async def test_a_deleted_job_is_forgotten_with_the_last_of_its_runs(world: World) -> None:
    job = await world.job(every="1h", catch_up="none")
    await (await world.later(hours=5)).fire()
    for _ in range(3):
        await world.ended(job)
    await world.roll_up()
    overall = await world.store.read(lambda tx: tx.stats.overall())
    hours = await world.store.read(lambda tx: tx.stats.hours(world.project, 9))
    await world.delete(job)
    later = await world.later(days=2)
    await later.retire()
    assert len(await world.rows("SELECT * FROM job_versions")) == 1, "its history is there"
    await later.prune(days=1)
    await later.retire(limit=1)
    for table in ("job_versions", *COUNTERS):
        assert await world.rows(f"SELECT * FROM {table} WHERE job_id = :id", id=job.id) == [], table
    assert await world.store.read(lambda tx: tx.stats.overall()) == overall, "totals stay"
    assert await world.store.read(lambda tx: tx.stats.hours(world.project, 9)) == hours
    await later.retire()
    assert await world.store.read(lambda tx: tx.stats.overall()) == overall


async def test_a_job_whose_runs_still_go_on_is_not_forgotten(world: World) -> None:
    running = await world.running(lease=86_400 * 99)
    await world.delete(running.job_id)
    later = await world.later(days=30)
    await later.retire()
    assert len(await world.rows("SELECT * FROM job_versions")) == 1
    await later.finish(running)
    await later.retire()
    assert len(await world.rows("SELECT * FROM job_versions")) == 1, "it has a history now"


# ---- one-time jobs


async def once(world: World, **fields: Any) -> JobRecord:
    """A one-time job that has run."""
    job = await world.job(schedule={"at": (await world.now() - timedelta(seconds=1)).isoformat()}, **fields)
    await world.fire()
    await world.finish(*await world.claim())
    assert (await world.look(job)).next_run_at is None
    return job


async def names(world: World) -> set[str]:
    return {row["name"] for row in await world.rows("SELECT name FROM jobs")}


async def test_a_one_time_job_goes_with_the_last_of_its_runs(world: World) -> None:
    await once(world, name="once")
    await once(world, name="kept", keep=True)
    await world.job(name="manual")
    await world.job(name="daily", every="1d")
    later = await world.later(days=31)
    await later.retire()
    assert await names(world) == {"once", "kept", "manual", "daily"}, "there is history"
    await later.prune(days=30)
    await later.retire()
    assert await names(world) == {"kept", "manual", "daily"}
    (entry,) = await world.rows("SELECT action, actor, subject_name FROM audit_log WHERE action = 'job.delete'")
    assert (entry["actor"], entry["subject_name"]) == (ACTOR, "once")


async def test_a_setting_makes_it_sooner_and_keeps_the_history(world: World) -> None:
    job = await once(world)
    assert await (await world.later(minutes=50)).retire(finished_jobs=3600) == 2
    assert len(await world.rows("SELECT id FROM jobs")) == 1
    await (await world.later(minutes=70)).retire(finished_jobs=3600)
    assert await world.rows("SELECT id FROM jobs") == []
    (row,) = await world.history(job)
    assert (await world.find(row["id"])).job_name == job.spec.name


async def test_one_time_jobs_that_still_matter_stay(world: World) -> None:
    disabled = await once(world, name="disabled")
    await world.disable(disabled)
    await once(world, name="upstream")
    await world.job(name="downstream", schedule={"after": {"job": "upstream", "on": "success"}})
    rerun = await once(world, name="rerun")
    await world.trigger(rerun)
    dead = await world.job(name="dead", schedule={"at": (await world.now() - timedelta(seconds=1)).isoformat()})
    await world.fire()
    taken = [run for run in await world.claim() if run.job_id == dead.id]
    await world.finish(*taken, outcome=PERMANENT)
    later = await world.later(days=31)
    await later.retire(finished_jobs=3600)
    assert await names(world) == {"disabled", "upstream", "downstream", "rerun", "dead"}


async def test_one_that_cannot_be_read_stays_for_it_may_be_one_to_keep(world: World) -> None:
    job = await once(world, keep=True)
    await put(world, job, spec="[1]")
    await (await world.later(days=31)).retire(finished_jobs=3600)
    assert len(await world.rows("SELECT id FROM jobs")) == 1


async def test_a_job_that_was_just_given_something_to_do_is_not_deleted(world: World) -> None:
    """Found to be over, and then triggered, before it is deleted."""
    job = await once(world)
    later = await world.later(hours=2)
    keep = Retention(finished_jobs=3600)
    found = await later.store.read(retire.look_over, keep=keep, after=NIL)
    assert [job_id for _, job_id in found.finished] == [job.id]
    await later.trigger(job)
    assert not await later.store.transact(retire_finished, project_id=world.project, job_id=job.id, keep=keep)
    assert len(await world.rows("SELECT id FROM jobs")) == 1


# ---- what it costs


async def test_a_walk_reads_in_portions_and_writes_nothing_if_nothing_is_over(world: World) -> None:
    for _ in range(5):
        await world.ended(await world.job())
    later, notes = await noted(await world.later(days=5))
    assert await later.retire(limit=2) == 4
    assert all(sql.startswith("SELECT") for sql in notes.statements)
    assert len(notes.statements) == 3 * 4 + 1, "four statements for a portion"
    assert notes.rows == 5, "the ids of the jobs"
