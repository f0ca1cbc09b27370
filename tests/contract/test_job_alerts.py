"""Alert rules of a job, broken for real: each opens its alert, and clears it once all is well."""

from dataclasses import replace
from datetime import timedelta

import pytest

from horae.accounts.secrets import delete_secret, set_secret
from horae.domain.errors import Conflict
from horae.domain.secrets.secret import Sealed, unknown
from horae.lifecycle.forget import forget_secret
from tests.contract.watching import beat, evaluate, fail, only, rules, well_again, worker
from tests.contract.world import PERMANENT, World


async def test_a_lost_run_that_is_not_recovered_is_stuck(world: World):
    await worker(world)
    run = await world.running(await world.job(name="report"))
    later = await world.later(minutes=6)
    await beat(later)
    await evaluate(later)
    assert "lease ran out" in (await only(later, "stuck")).why
    await later.recover()
    await well_again(later, "stuck", late=0)
    assert (await later.find(run)).status != "running"


async def test_a_secret_that_is_missing(world: World):
    await worker(world)
    target = {"kind": "http", "url": "https://example.org/", "headers": {"x-token": "{{ secrets.TOKEN }}"}}
    await world.store.transact(set_secret, sealed=Sealed(world.project, "TOKEN", "sealed", "key"), actor="a")
    job = await world.job(name="report", target=target)
    await world.store.transact(delete_secret, project_id=world.project, name="TOKEN", force=True, actor="a")
    run = await world.running(job, offers=("http",))
    await world.finish(run, outcome=replace(PERMANENT, error=unknown("TOKEN")))
    await evaluate(world)
    alert = await only(world, "secret_missing")
    assert alert.title == "report needs the secret TOKEN, which does not exist"
    await world.store.transact(set_secret, sealed=Sealed(world.project, "TOKEN", "sealed", "key"), actor="a")
    await well_again(world, "secret_missing")


async def test_deleting_a_secret_that_jobs_name_opens_their_alerts_before_any_run_fails(world: World):
    await worker(world)
    target = {"kind": "http", "url": "https://example.org/", "headers": {"x-token": "{{ secrets.TOKEN }}"}}
    for secret in ("TOKEN", "TOKEN_2"):
        await world.store.transact(set_secret, sealed=Sealed(world.project, secret, "sealed", "key"), actor="a")
    await world.job(name="report", target=target)
    await world.job(name="other", target={**target, "headers": {"x-token": "{{ secrets.TOKEN_2 }}"}})
    paused = await world.job(name="paused", target=target)
    await world.pause(paused)
    forgotten = {"project_id": world.project, "name": "TOKEN", "actor": "a"}
    with pytest.raises(Conflict, match="jobs use this secret: paused, report"):
        await world.store.transact(forget_secret, force=False, **forgotten)
    await world.store.transact(forget_secret, force=True, **forgotten)
    for _ in range(2):
        assert (await only(world, "secret_missing")).subject_name == "report"
        await evaluate(world)
    await world.store.transact(set_secret, sealed=Sealed(world.project, "TOKEN", "sealed", "key"), actor="a")
    await well_again(world, "secret_missing")


async def test_took_too_long_while_it_runs_and_after(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"longer_than": "10m"})
    run = await world.running(job)
    later = await world.later(minutes=11)
    await beat(later)
    await later.renew(await _worker_of(later, run.id), run, lease=600.0)
    await evaluate(later)
    assert "has been running for 11 min" in (await only(later, "took_too_long")).title
    await later.finish(run, duration_ms=700_000)
    await evaluate(later)
    after = await later.later(minutes=2)
    await beat(after)
    await evaluate(after)
    assert (await only(after, "took_too_long")).title == "report took 11 min 40 s"
    await after.finish(await after.running(job), duration_ms=1_000)
    await well_again(after, "took_too_long")


async def _worker_of(world: World, run_id: str) -> str:
    (row,) = await world.rows("SELECT worker_id FROM runs WHERE id = :id", id=run_id)
    return str(row["worker_id"])


async def test_suspiciously_short(world: World):
    await worker(world)
    job = await world.job(name="backup", alert={"shorter_than": "1m"})
    await world.finish(await world.running(job), duration_ms=200)
    await evaluate(world)
    assert (await only(world, "too_short")).title == "backup succeeded after only 200 ms"
    await world.finish(await world.running(job), duration_ms=90_000)
    await well_again(world, "too_short")


async def test_no_success_for_too_long(world: World):
    await worker(world)
    job = await world.job(name="backup", alert={"no_success_for": "26h"})
    await world.ended(job)
    soon = await world.later(hours=25)
    await beat(soon)
    await evaluate(soon)
    assert await rules(soon) == []
    later = await world.later(hours=27)
    await beat(later)
    await evaluate(later)
    found = await only(later, "no_success")
    assert "27 h" in found.title or "1 d 3 h" in found.title
    assert "is fine" not in found.why
    assert " succeeded " in found.why.partition("Last run: ")[2]  # nothing blocks the job: it was not asked to run
    await later.ended(job)
    await well_again(later, "no_success")


async def test_not_done_by_a_time(world: World):
    await worker(world)
    now = await world.now()
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=2)
    zone = "Asia/Kolkata"  # 17:30 there
    job = await world.job(name="backup", alert={"done_by": "17:00"}, cron="0 3 * * *", timezone=zone, catch_up="all")
    early = await world.later(seconds=(noon - now).total_seconds() - 3600)
    await early.fire()
    await beat(early)
    await evaluate(early, late=0, queued=0)
    assert await rules(early) == []  # 16:30
    later = await world.later(seconds=(noon - now).total_seconds())
    await beat(later)
    await evaluate(later, late=0, queued=0)
    assert (await only(later, "not_done")).title == "backup is not done by 17:00"
    for run in await later.claim():
        await later.finish(run)
    await well_again(later, "not_done", late=0, queued=0)
    assert job.spec.alert is not None


async def test_missed_occurrences(world: World):
    await worker(world)
    job = await world.job(name="report", every="1h", catch_up="none", alert={"missed": True})
    later = await world.later(hours=3, minutes=30)
    await beat(later)
    await later.fire()
    await evaluate(later)
    assert "not been fired in time" in (await only(later, "missed")).why
    after = await later.later(seconds=1)
    await after.ended(job)
    await well_again(after, "missed")


async def test_a_budget_of_failures(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"failure_budget": {"failures": 3, "within": "2h"}, "failing": 0})
    await fail(world, job, 2)
    await evaluate(world)
    assert await rules(world) == []
    await fail(world, job)
    await evaluate(world)
    assert (await only(world, "failure_budget")).why == "3 runs failed within 2 h; the budget is 3."
    later = await world.later(hours=4)
    await beat(later)
    await evaluate(later)
    await well_again(later, "failure_budget")
