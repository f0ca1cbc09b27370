"""Quotas of projects: who gets the last place, what is refused, and that nothing is skipped silently."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from horae.accounts import keys, projects, quotas, secrets, usage
from horae.controllers.stored import StoreController
from horae.domain.errors import QuotaReached
from horae.domain.people.key import ApiKey
from horae.domain.people.project import Project
from horae.domain.people.quota import Quota, Usage
from horae.domain.runs.dead_letter import DeadFilter
from horae.domain.secrets.secret import Sealed
from horae.lifecycle import explain, redrive, rerun
from horae.processes.allowances import Allowances
from tests.contract.ledger import assert_complete
from tests.contract.world import FAILED, IDS, World, ids

LIVE, JOBS, FIRES, LOGS = Quota.LIVE_RUNS, Quota.JOBS, Quota.FIRES_PER_MINUTE, Quota.LOG_BYTES_PER_DAY


async def limit(world: World, **limits: int | None) -> dict[Quota, Usage]:
    given = {Quota(name): most for name, most in limits.items()}
    return await world.store.transact(usage.set_quotas, project_id=world.project, limits=given, actor="user:ann")


async def used(world: World, quota: Quota) -> int | float | None:
    return (await world.store.read(usage.usage, world.project))[quota].used


@pytest.fixture
async def other(world: World) -> World:
    """The same installation, seen from another project."""
    project = Project(IDS.new(), "other", "Other")
    await world.store.transact(projects.create_project, project=project, actor="test")
    seen = await world.later()
    seen.project = project.id
    return seen


async def test_a_quota_is_set_changed_and_taken_away(world: World) -> None:
    await world.jobs(2, manual=True)
    told = await limit(world, jobs=3, live_runs=5)
    assert told[JOBS] == Usage(3, 2)
    assert told[LIVE] == Usage(5, 0)
    assert told[LOGS] == Usage(None, None)
    assert (await limit(world, jobs=None))[JOBS] == Usage(None, 2)
    rows = await world.rows("SELECT actor, changes FROM audit_log WHERE action = 'project.quotas' ORDER BY id")
    assert [row["actor"] for row in rows] == ["user:ann"] * 2
    assert '"live_runs"' in rows[0]["changes"]
    await limit(world, live_runs=5)  # as it was: no entry
    assert len(await world.rows("SELECT id FROM audit_log WHERE action = 'project.quotas'")) == 2


async def test_jobs(world: World, other: World) -> None:
    await limit(world, jobs=2)
    first, _ = await world.jobs(2, manual=True)
    with pytest.raises(QuotaReached, match="quota jobs is 2: 2 in use, and this needs 1 more") as refused:
        await world.job(manual=True)
    assert (refused.value.quota, refused.value.limit, refused.value.used) == ("jobs", 2, 2)
    assert await used(world, JOBS) == 2
    await world.edit(first, description="edits need no place")
    await other.jobs(3, manual=True)  # its own quota, or none
    await world.delete(first)
    await world.job(manual=True)
    assert await used(world, JOBS) == 2


async def test_a_lower_quota_deletes_nothing(world: World) -> None:
    job, *_ = await world.jobs(3, manual=True)
    await world.trigger(job, 4)
    told = await limit(world, jobs=1, live_runs=2)
    assert (told[JOBS], told[LIVE]) == (Usage(1, 3), Usage(2, 4))
    with pytest.raises(QuotaReached, match="quota jobs is 1: 3 in use"):
        await world.job(manual=True)
    with pytest.raises(QuotaReached, match="quota live_runs is 2: 4 in use"):
        await world.trigger(job)
    assert len(await world.live()) == 4
    await world.finish(*await world.claim(3))
    await world.trigger(job)
    assert len(await world.live()) == 2


async def test_live_runs(world: World, other: World) -> None:
    job = await world.job(max_instances=1)
    await limit(world, live_runs=3)
    await world.trigger(job, 2)  # one is held: it is live as well
    with pytest.raises(QuotaReached, match="quota live_runs is 3: 2 in use, and this needs 2 more"):
        await world.trigger(job, 2)
    assert len(await world.live()) == 2
    await world.trigger(job, run_at=await world.now() + timedelta(days=1))
    with pytest.raises(QuotaReached):
        await world.trigger(job)
    (run,) = await world.claim(1)
    await world.finish(run, outcome=FAILED)  # queued once more: a run that is live is never refused
    assert len(await world.live(job)) == 3
    later = await world.later(hours=1)
    (run,) = await later.claim(1)
    await later.finish(run)
    await later.trigger(job)
    assert len(await world.live(job)) == 3
    await other.trigger(await other.job(manual=True), 5)


@pytest.mark.parametrize("free", [1, 3])
async def test_the_last_places_are_given_once(world: World, free: int) -> None:
    job = await world.job(manual=True, max_instances=None)
    await limit(world, live_runs=free, jobs=1 + free)
    async with AsyncExitStack() as stack:
        people = [await World.open(world.url, stack, connections=1) for _ in range(6)]
        asked = [one.trigger(job) for one in people] + [one.job(manual=True) for one in people]
        answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, QuotaReached)]
    assert len(refused) == 2 * (6 - free)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == refused
    assert len(await world.live()) == free
    assert await used(world, JOBS) == 1 + free


async def test_an_answer_that_was_lost_takes_one_place(world: World) -> None:
    job = await world.job(manual=True)
    await limit(world, live_runs=1)
    (run,) = await world.trigger(job, reply_lost=True)
    assert ids(await world.live()) == {run.id}


async def test_an_occurrence_beyond_the_quota_is_skipped_and_reported(world: World, other: World) -> None:
    by_hand = await world.job(manual=True)
    jobs = [await world.job(every="1h") for _ in range(3)]
    theirs = await other.job(every="1h")
    await limit(world, live_runs=2)
    await world.trigger(by_hand)
    await world.fire()
    assert len(await world.live()) == 2 + 1
    assert len(await world.live(theirs)) == 1
    rows = [row for job in jobs for row in await world.history(job)]
    assert [(row["status"], row["reason"], row["occurrences"]) for row in rows] == [("skipped", "quota", 1)] * 2
    for job in jobs:
        await assert_complete(world, job)
    why = await world.store.read(explain.explain_run, project_id=world.project, run_id=rows[0]["id"])
    assert "quota of live runs" in why.summary
    (told,) = [one for one in await world.store.read(usage.strained) if one.quota is LIVE]
    assert (told.project, told.usage.limit, told.usage.used) == ("default", 2, 2)
    assert told.usage.refused_at is not None
    for run in await world.claim():
        await world.finish(run)
    later = await world.later(hours=1)
    await later.fire()
    assert len([run for job in jobs for run in await world.live(job)]) == 2  # the ends made room


async def test_catch_up_queues_as_many_runs_as_the_quota_allows(world: World) -> None:
    job = await world.job(every="10m", catch_up="all", overlap="allow", max_runs=5)
    await limit(world, live_runs=2)
    later = await world.later(hours=2)
    await later.fire()
    assert len(await world.live(job)) == 2
    (row,) = await world.history(job)
    assert (row["reason"], row["occurrences"]) == ("quota", 11)
    assert (await world.look(job)).next_run_at is not None  # those that were skipped are not among its five
    await assert_complete(world, job)


async def test_an_edit_settles_what_is_due_within_the_quota(world: World) -> None:
    job = await world.job(every="1h")
    await limit(world, live_runs=0)
    await world.edit(job, every="2h")
    assert await world.live() == []
    assert [row["reason"] for row in await world.history(job)] == ["quota"]


async def test_a_chain_keeps_its_place(world: World) -> None:
    first = await world.job(name="first", manual=True)
    second = await world.job(name="second", after={"job": "first", "on": "success"})
    third = await world.job(name="third", after={"job": "second", "on": "success"})
    await limit(world, live_runs=1)
    await world.trigger(first)
    for job in (first, second, third):
        (run,) = await world.claim()
        assert run.job_id == job.id
        with pytest.raises(QuotaReached):
            await world.trigger(first)
        await world.finish(run)
    assert await world.live() == []


async def test_more_followers_than_ends_need_places(world: World) -> None:
    first = await world.job(name="first", manual=True)
    followers = [await world.job(after={"job": "first", "on": "success"}) for _ in range(4)]
    await limit(world, live_runs=2)
    await world.trigger(first)
    (run,) = await world.claim()
    await world.finish(run)
    assert len(await world.live()) == 2
    rows = [row for job in followers for row in await world.history(job)]
    assert [(row["reason"], row["trigger"], row["parent_run_id"]) for row in rows] == [("quota", "after", run.id)] * 2
    with pytest.raises(QuotaReached):
        await world.trigger(first)


async def test_a_backfill_is_admitted_once(world: World) -> None:
    job = await world.job(every="1h", start_at=await world.now() - timedelta(days=1))
    await world.disable(job)
    await limit(world, live_runs=2)
    now = await world.now()
    start, end = now - timedelta(hours=6), now
    with pytest.raises(QuotaReached, match="needs 3 more"):
        await world.backfill(job, start, end, parallelism=3)
    assert await world.rows("SELECT id FROM operations") == []
    operation = await world.backfill(job, start, end, parallelism=2)
    for _ in range(operation.total):
        (run, *_) = await world.claim(1)
        assert len(await world.live()) <= 2
        await world.finish(run)
    assert (await world.operation(operation)).state == "done"


async def test_reruns_and_redrives(world: World) -> None:
    job = await world.job(manual=True, retry={"max_attempts": 1})
    runs = [(await world.ended(job, FAILED)) for _ in range(4)]
    await limit(world, live_runs=3)
    retried = await world.store.transact(
        rerun.retry_run, project_id=world.project, run_id=runs[0].id, new_id=IDS.new(), actor="ann"
    )
    asked = redrive.Resolution(redrive.REDRIVE, DeadFilter())
    operation = await world.store.transact(
        redrive.resolve, operation_id=IDS.new(), project_id=world.project, resolution=asked, actor="ann"
    )
    assert (operation.done, operation.total) == (2, 3)
    assert operation.error is not None
    assert operation.error.startswith("1 stay dead letters: the project's quota live_runs is 3")
    assert retried.id in ids(await world.live())
    assert len(await world.rows("SELECT run_id FROM dead_letters")) == 1
    with pytest.raises(QuotaReached):
        await world.store.transact(
            rerun.retry_run, project_id=world.project, run_id=runs[3].id, new_id=IDS.new(), actor="ann"
        )
    assert len(await world.rows("SELECT run_id FROM dead_letters")) == 1


async def test_fires_per_minute(world: World) -> None:
    await limit(world, fires_per_minute=3)
    fast = await world.job(every="30s")  # 2
    await world.job(cron="*/2 * * * *")  # 0.5
    await world.job(manual=True)
    assert await used(world, FIRES) == 2.5
    with pytest.raises(QuotaReached, match=r"quota fires_per_minute is 3: 2\.5 in use, and this needs 1 more"):
        await world.job(every="1m")
    off = await world.job(every="1m", enabled=False)
    with pytest.raises(QuotaReached):
        await world.enable(off)
    with pytest.raises(QuotaReached, match="needs 58 more"):
        await world.edit(fast, every="1s")
    assert (await world.look(fast)).version == 1
    await world.edit(fast, every="1m")
    await world.enable(off)
    assert await used(world, FIRES) == 2.5
    await world.disable(off)
    await world.delete(fast)
    assert await used(world, FIRES) == 0.5
    await world.job(every="30s")


async def test_rates_of_jobs_that_an_older_version_saved(world: World) -> None:
    jobs = [await world.job(every="30s") for _ in range(3)]
    await world.execute("UPDATE jobs SET per_hour = NULL, per_hour_of = NULL WHERE id = :id", id=jobs[0].id)
    await world.execute("UPDATE jobs SET per_hour = 1, version = 2, per_hour_of = 1 WHERE id = :id", id=jobs[1].id)
    await world.execute("UPDATE job_versions SET version = 2 WHERE job_id = :id", id=jobs[1].id)
    assert await used(world, FIRES) == 6
    assert await world.store.transact(usage.rate_jobs, project_id=world.project) == 2
    assert await world.store.transact(usage.rate_jobs, project_id=world.project) == 0
    rows = await world.rows("SELECT per_hour, version, per_hour_of FROM jobs")
    assert {row["per_hour"] for row in rows} == {120}
    assert all(row["version"] == row["per_hour_of"] for row in rows)
    assert await used(world, FIRES) == 6


async def test_secrets_and_keys(world: World) -> None:
    await limit(world, secrets=1, api_keys=1)

    async def save(name: str) -> None:
        sealed = Sealed(world.project, name, "sealed", "key")
        await world.store.transact(secrets.set_secret, sealed=sealed, actor="ann")

    async def make() -> None:
        number = IDS.new()
        key = ApiKey(number, world.project, "ci", "viewer", number[:32], "digest", "ann", None)
        await world.store.transact(keys.create_key, key=key, maker="owner")

    await save("ONE")
    await save("ONE")  # another value for it
    with pytest.raises(QuotaReached, match="quota secrets is 1"):
        await save("TWO")
    await make()
    with pytest.raises(QuotaReached, match="quota api_keys is 1"):
        await make()
    await world.store.transact(secrets.delete_secret, project_id=world.project, name="ONE", force=False, actor="ann")
    await save("TWO")
    await world.execute("UPDATE api_keys SET expires_at = created_at")
    await make()


async def test_log_bytes_are_those_of_a_day(world: World, other: World) -> None:
    await limit(world, log_bytes_per_day=100)
    assert await used(world, LOGS) == 0

    async def spend(seen: World, count: int) -> dict[str, int]:
        return await seen.store.transact(usage.spend_log, spent={world.project: count, other.project: count})

    assert await spend(world, 60) == {world.project: 40}
    assert await used(world, LOGS) == 60
    assert await spend(world, 60) == {world.project: -20}
    (told,) = await world.store.read(usage.strained)
    assert (told.quota, told.usage.used) == (LOGS, 120)
    tomorrow = await world.later(days=1)
    assert await tomorrow.store.transact(usage.spend_log, spent={}) == {world.project: 100}
    assert await spend(tomorrow, 1) == {world.project: 99}


async def test_a_refusal_is_noted(world: World) -> None:
    await limit(world, live_runs=1)
    await world.store.transact(quotas.note_refusal, project_id=world.project, quota=LIVE)
    (told,) = await world.store.read(usage.strained)
    assert (told.quota, told.usage.used) == (LIVE, 0)
    later = await world.later(hours=2)
    assert await later.store.read(usage.strained) == []


async def test_a_project_goes_with_its_quotas(world: World, other: World) -> None:
    await limit(other, jobs=1)
    await world.store.transact(projects.delete_project, project_id=other.project, actor="ann")
    assert await world.rows("SELECT quota FROM project_quotas") == []


async def test_a_worker_cuts_what_is_logged(world: World, other: World) -> None:
    await limit(world, log_bytes_per_day=10)
    allowances = Allowances(StoreController(world.store, world.ids.chance), world.clock)
    assert allowances.keep(world.project, "before it has asked") == "before it has asked"
    await allowances._look()
    assert allowances.keep(world.project, "äöü") == "äöü"  # six bytes
    assert allowances.keep(other.project, "x" * 100) == "x" * 100
    assert allowances.keep(world.project, "ßßß") == "ßß"
    assert allowances.keep(world.project, "x") == ""
    await allowances.flush()
    assert await used(world, LOGS) == 10
    neighbour = Allowances(StoreController(world.store, world.ids.chance), world.clock)
    await neighbour._look()
    assert neighbour.keep(world.project, "x") == ""
    (told,) = await world.store.read(usage.strained)
    assert (told.quota, told.usage.refused_at is None) == (LOGS, False)
    await limit(world, log_bytes_per_day=None)
    await neighbour._look()
