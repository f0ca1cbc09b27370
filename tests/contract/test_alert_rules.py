"""Each rule of alerts, broken for real: it opens its alert, and clears it when all is well again."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.accounts.secrets import delete_secret, set_secret
from horae.domain.alerts.facts import Disk
from horae.domain.cluster.process import Beat
from horae.domain.errors import Conflict
from horae.domain.jobs.stored import spec_fields
from horae.domain.secrets.secret import Sealed, unknown
from horae.lifecycle.forget import forget_secret
from horae.lifecycle.watching.watch import watch_schedulers
from horae.ports import Transaction
from horae.processes.alerting import Alerting
from tests.contract.watching import alerts, beat, evaluate, fail, rules, titles, worker
from tests.contract.world import PERMANENT, World, scheduler_sign, spec


async def well_again(world: World, rule: str, **how: Any) -> World:
    """Whatever was wrong is not any more: the alert clears a minute later, once."""
    await evaluate(world, **how)
    assert rule in await rules(world)
    later = await world.later(seconds=61)
    await beat(later)
    await evaluate(later, **how)
    await evaluate(later, **how)
    assert rule not in await rules(later)
    assert len(await alerts(later, "cleared", rule)) == 1
    return later


async def only(world: World, rule: str) -> Any:
    (found,) = await alerts(world, rule=rule)
    assert found.action.text
    assert found.why
    assert found.since <= found.last_seen_at
    return found


async def test_no_worker_online(world: World):
    await worker(world)
    soon = await world.later(minutes=4)
    await evaluate(soon)
    assert await rules(soon) == []
    later = await world.later(minutes=9)
    await evaluate(later)
    assert (await only(later, "no_worker")).severity == "critical"
    await worker(later)
    await well_again(later, "no_worker")


async def test_nothing_fired_although_due(world: World):
    await worker(world)
    await world.job(every="1h")
    later = await world.later(hours=1, minutes=2)
    await worker(later)
    await evaluate(later)
    alert = await only(later, "not_fired")
    assert alert.project_id is None
    assert "was due" in alert.why
    await later.fire()
    await well_again(later, "not_fired")


async def test_a_paused_or_unreadable_job_is_not_overdue(world: World):
    await worker(world)
    paused, unread = await world.job(every="1h"), await world.job(every="1h")
    await world.pause(paused)
    later = await world.later(hours=2)
    note = "INSERT INTO unreadable (job_id, version, process_id, reason, found_at, seen_at) VALUES (:job, 1, :me, 'r', "
    await later.execute(f"{note}:now, :now)", job=unread.id, me=world.ids.new(), now=await later.now())
    await worker(later)
    await evaluate(later)
    assert await rules(later) == []


async def test_a_run_that_nobody_can_take(world: World):
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


async def test_a_lost_run_that_nobody_recovers_is_stuck(world: World):
    await worker(world)
    run = await world.running(await world.job(name="report"))
    later = await world.later(minutes=6)
    await beat(later)
    await evaluate(later)
    assert "lease ran out" in (await only(later, "stuck")).why
    await later.recover()
    await well_again(later, "stuck", late=0)
    assert (await later.find(run)).status != "running"


async def test_a_failing_streak_by_a_jobs_own_threshold(world: World):
    await worker(world)
    quick = await world.job(name="quick", alert={"failing": 1})
    silent = await world.job(name="silent", alert={"failing": 0})
    await fail(world, quick)
    await fail(world, silent, 5)
    await evaluate(world)
    assert titles(await alerts(world)) == ["quick failed"]


async def test_a_projects_own_threshold(world: World):
    await worker(world)
    await configure(world, '{"failing": 5, "dead_letters": 0}')
    job = await world.job(name="report")
    await fail(world, job, 4)
    await evaluate(world)
    assert await rules(world) == []
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]


async def configure(world: World, settings: str) -> None:
    await world.execute(
        "INSERT INTO alert_settings (subject_id, project_id, subject_kind, settings) "
        "VALUES (:id, :id, 'project', :text)",
        id=world.project,
        text=settings,
    )


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


@pytest.mark.parametrize(
    ("trouble", "rule"),
    [
        ("claim: ConnectionLost: the server closed the connection", "database"),
        ("claim: RuntimeError: it broke", "claims_failing"),
        ("upkeep: RuntimeError: it broke", "loop_failing"),
    ],
)
async def test_processes_that_keep_failing(world: World, trouble: str, rule: str):
    sign = await worker(world)
    await world.store.transact(_beat, sign.id, trouble)
    later = await world.later(minutes=2)
    await later.store.transact(_beat, sign.id, trouble)
    await evaluate(later)
    assert await rules(later) == [rule]
    assert trouble.split(": ")[2] in (await only(later, rule)).why
    await later.store.transact(_beat, sign.id, None)
    await well_again(later, rule)


async def _beat(tx: Transaction, worker_id: str, trouble: str | None) -> None:
    await tx.processes.beat_worker(worker_id, Beat("idle", 0, 0, trouble))


async def test_a_disk_that_fills(world: World):
    await worker(world)
    await evaluate(world, disk=lambda: Disk(free=5 << 30, total=100 << 30))
    assert "5.0 GiB (5 %)" in (await only(world, "disk")).why
    plenty = await world.later(seconds=1)
    await evaluate(plenty, disk=lambda: Disk(free=50 << 30, total=100 << 30))
    await well_again(plenty, "disk")


@pytest.mark.parametrize("world", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
async def test_partitions_that_are_missing(world: World):
    await worker(world)
    await evaluate(world)
    assert await rules(world) == []
    later = await world.later(days=150)  # whose months nobody has prepared
    await worker(later)
    await evaluate(later)
    assert "run_history_" in (await only(later, "partitions")).why
    await later.partition()
    await well_again(later, "partitions")


async def test_no_scheduler(world: World):
    """A scheduler cannot see it: `serve` does."""

    absent_since: datetime | None = None

    async def look(at: World) -> None:
        nonlocal absent_since
        changes, absent_since = await at.store.read(watch_schedulers, shard_lease=6.0, absent_since=absent_since)
        await Alerting(at.store, 180.0).apply(changes)

    await world.store.transact(_register, scheduler_sign())
    await look(world)
    assert await rules(world) == []
    later = await world.later(minutes=2)
    for _ in range(2):
        await look(later)
    assert "schedules do not fire" in (await only(later, "no_scheduler")).why
    await beat(later)
    await look(later)
    after = await later.later(seconds=61)
    await beat(after)
    await look(after)
    assert await rules(after) == []


async def test_a_restart_of_all_schedulers_is_no_alarm(world: World):
    """One that stops in an orderly way leaves no row, and the next takes some seconds."""

    async def look(at: World, seen: datetime | None) -> datetime | None:
        changes, absent_since = await at.store.read(watch_schedulers, shard_lease=6.0, absent_since=seen)
        await Alerting(at.store, 180.0).apply(changes)
        return absent_since

    old = await world.later(days=1)  # the database is no news
    sight = await look(old, None)
    assert sight is not None
    assert await rules(old) == []
    sight = await look(await old.later(seconds=50), sight)
    assert await rules(old) == []
    late = await old.later(seconds=61)
    await look(late, sight)
    found = await only(late, "no_scheduler")
    assert found.since == sight
    doubts, _ = await late.store.read(watch_schedulers, shard_lease=6.0, absent_since=None)
    assert doubts.quiet == doubts.clearing == []  # a `serve` that has just started knows no better


async def _register(tx: Transaction, sign: Any) -> None:
    await tx.processes.register_scheduler(sign)


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


async def test_an_edit_changes_the_rules_and_a_deletion_ends_them(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"failing": 1})
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]
    edited = await world.edit(job, alert=None)
    assert await world.rows("SELECT * FROM alert_settings") == []
    edited = await world.edit(edited, alert={"failing": 1})
    await world.delete(edited)
    assert await world.rows("SELECT * FROM alert_settings") == []
    await well_again(world, "failing")


async def test_damaged_thresholds_set_nothing(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"failing": 1})
    await configure(world, '{"failing": "often"}')
    for settings in ('{"failing": -7}', "[]", '{"failing": 1, "colour": "red"}'):
        await world.execute(
            "UPDATE alert_settings SET settings = :text WHERE subject_id = :id", text=settings, id=job.id
        )
        await evaluate(world)
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]  # what the last of them says, which a newer version wrote


@pytest.mark.parametrize(
    ("alert", "field"),
    [
        ({"failing": -1}, "failing"),
        ({"late": "soon"}, "late"),
        ({"done_by": "25:00"}, "done_by"),
        ({"failure_budget": {"failures": 1, "within": "1s"}}, "within"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_thresholds_are_refused(alert: dict[str, Any], field: str):
    with pytest.raises(ValueError, match=field):
        spec(alert=alert)


def test_a_definition_without_alert_is_stored_as_before():
    assert "alert" not in spec_fields(spec())
    assert spec_fields(spec(alert={"failing": 2}))["alert"]["failing"] == 2


@pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_a_start_of_everything_after_a_night_is_no_alarm(world: World):
    await worker(world)
    await world.job(every="1h")
    later = await world.later(hours=9)
    await evaluate(later, settling=60.0)  # the worker has not registered yet, and nothing has been fired
    assert await rules(later) == []
    await evaluate(later)
    assert await rules(later) == ["late", "no_worker", "not_fired"]
