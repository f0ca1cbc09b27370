"""Alerts open once and clear once, whichever process evaluates them; they are acknowledged and silenced, and do not
flap."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from horae.domain.alerts.alert import AlertAction, AlertFilter, AlertRecord, Finding, Subject, identity
from horae.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from horae.lifecycle.watching import alerts as verbs
from tests.contract.watching import ADMIN, alerts, evaluate, fail, mine, notices, rules, titles, worker
from tests.contract.world import World


async def failing(world: World) -> World:
    """A job that failed three times, and the alert about it."""
    await worker(world)
    job = await world.job(name="report")
    await fail(world, job, 3)
    await evaluate(world)
    return world


async def test_an_alert_opens_once_and_says_what_why_and_what_to_do(world: World):
    await worker(world)
    job = await world.job(name="report")
    await fail(world, job, 2)
    await evaluate(world)
    assert await alerts(world) == []
    await fail(world, job)
    for _ in range(3):
        await evaluate(world)
    (alert,) = await alerts(world)
    assert (alert.rule, alert.severity, alert.state) == ("failing", "critical", "open")
    assert (alert.subject_kind, alert.subject_id, alert.subject_name) == ("job", job.id, "report")
    assert alert.title == "report failed 3 times in a row"
    assert alert.why.endswith("Last error: no such thing")
    assert alert.action.text
    assert alert.action.path.startswith("/runs/")
    assert alert.since < alert.last_seen_at
    assert alert.project is not None


async def test_it_clears_once_after_the_rule_has_held_for_a_minute(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    await succeed(world, alert.subject_id)
    await evaluate(world)
    assert await rules(world) == ["failing"]  # not at the first success
    later = await world.later(seconds=61)
    await worker(later)
    for _ in range(2):
        await evaluate(later)
    assert await rules(later) == []
    (cleared,) = await alerts(later, "cleared")
    assert (cleared.id, cleared.state) == (alert.id, "cleared")
    assert cleared.cleared_at is not None


async def succeed(world: World, job_id: str) -> None:
    job = await world.store.read(lambda tx: tx.jobs.find(world.project, job_id))
    assert job is not None
    await world.ended(job)


async def test_two_schedulers_that_evaluate_at_once_open_it_once(world: World):
    await worker(world)
    job = await world.job(name="report")
    await fail(world, job, 3)
    await world.roll_up()
    crowd = await world.crowd(4)
    await asyncio.gather(*(evaluate(one) for one in crowd))
    assert len(await alerts(world, None)) == 1


async def test_it_survives_a_failover_in_between(world: World):
    """`evaluate` is a scheduler that has just started: none of them knows what another did."""
    await failing(world)
    (opened,) = await alerts(world)
    other = await world.later(minutes=2)
    await worker(other)
    await evaluate(other)
    (still,) = await alerts(other, None)
    assert still.id == opened.id
    assert still.last_seen_at > opened.last_seen_at


async def test_a_job_that_goes_on_failing_says_so(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    later = await world.later(minutes=2)
    job = await later.store.read(lambda tx: tx.jobs.find(world.project, alert.subject_id))
    await worker(later)
    await fail(later, job, 2)
    await evaluate(later)
    assert titles(await alerts(later)) == ["report failed 5 times in a row"]


async def test_what_reopens_soon_takes_longer_to_clear(world: World):
    await failing(world)
    (first,) = await alerts(world)
    await succeed(world, first.subject_id)
    await evaluate(world)
    clear = await world.later(seconds=61)
    await worker(clear)
    await evaluate(clear)
    assert await rules(clear) == []
    job = await clear.store.read(lambda tx: tx.jobs.find(world.project, first.subject_id))
    await fail(clear, job, 3)
    await evaluate(clear)
    (second,) = await alerts(clear)
    assert second.id != first.id
    await succeed(clear, first.subject_id)
    await evaluate(clear)
    soon = await clear.later(seconds=61)
    await worker(soon)
    await evaluate(soon)
    assert await rules(soon) == ["failing"]  # now it takes two minutes
    after = await clear.later(seconds=121)
    await worker(after)
    await evaluate(after)
    assert await rules(after) == []


async def test_a_rule_that_breaks_again_while_it_is_about_to_clear_opens_nothing(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    await succeed(world, alert.subject_id)
    await evaluate(world)
    job = await world.store.read(lambda tx: tx.jobs.find(world.project, alert.subject_id))
    await fail(world, job, 3)
    await evaluate(world)
    later = await world.later(seconds=61)
    await worker(later)
    await evaluate(later)
    (still,) = await alerts(later, None)
    assert (still.id, still.state) == (alert.id, "open")


async def test_acknowledging_names_the_first_who_did(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    done = alert
    for actor in ("user:ann", "user:ben"):
        done = await world.store.transact(
            verbs.acknowledge, reach=mine(world), alert_id=alert.id, actor=actor, note=None
        )
    assert done.acknowledged_by == "user:ann"
    assert done.acknowledged_at is not None
    later = await world.later(minutes=5)
    noted = await later.store.transact(
        verbs.acknowledge, reach=mine(world), alert_id=alert.id, actor="user:ben", note="the disk is full"
    )
    assert (noted.acknowledged_by, noted.note) == ("user:ann", "the disk is full")
    assert noted.acknowledged_at == done.acknowledged_at


async def test_what_has_cleared_cannot_be_acknowledged(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    await world.store.transact(verbs.clear_alerts, [alert.id])
    with pytest.raises(Conflict):
        await world.store.transact(verbs.acknowledge, reach=mine(world), alert_id=alert.id, actor=ADMIN, note=None)


async def silence(world: World, alert_id: str, **how: Any) -> AlertRecord:
    given = {"until": None, "lasting": None, "note": None, "actor": ADMIN, **how}
    return await world.store.transact(verbs.silence, reach=mine(world), alert_id=alert_id, **given)


async def test_a_silence_ends_by_itself_or_by_hand(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    silenced = await silence(world, alert.id, lasting=3600.0)
    assert silenced.silenced_until is not None
    assert silenced.silenced_by == ADMIN
    assert (await silence(world, alert.id, lasting=0.0)).silenced_until is None
    for wrong in ({"until": await world.now()}, {"lasting": 400 * 86_400.0}):
        with pytest.raises(InvalidInput):
            await silence(world, alert.id, **wrong)


async def test_a_silence_outlives_the_alert(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    await silence(world, alert.id, lasting=3600.0)
    await world.store.transact(verbs.clear_alerts, [alert.id])
    await evaluate(world)
    (again,) = await alerts(world)
    assert again.id != alert.id
    assert again.silenced_until is not None
    await world.store.transact(verbs.clear_alerts, [again.id])
    later = await world.later(hours=2)
    await worker(later)
    await evaluate(later)
    (audible,) = await alerts(later)
    assert audible.silenced_until is None


async def test_the_alert_that_cleared_last_counts_though_its_id_is_older(world: World):
    """Ids are made by the clocks of schedulers, which may differ."""
    await failing(world)
    (first,) = await alerts(world)
    await world.store.transact(verbs.clear_alerts, [first.id])
    await evaluate(world)
    (second,) = await alerts(world)
    await world.store.transact(verbs.clear_alerts, [second.id])
    later = await world.now() + timedelta(minutes=1)
    until = later + timedelta(hours=1)
    change = "UPDATE alerts SET cleared_at = :later, silenced_until = :until WHERE id = :id"
    await world.execute(change, later=later, until=until, id=first.id)
    await evaluate(world)
    (third,) = await alerts(world)
    assert third.silenced_until == until


async def test_another_projects_alerts_are_not_there(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    other = verbs.Reach(world.ids.new())
    with pytest.raises(NotFound):
        await world.store.read(verbs.find_alert, other, alert.id)
    with pytest.raises(NotFound):
        await world.store.transact(verbs.acknowledge, reach=other, alert_id=alert.id, actor=ADMIN, note=None)
    page = await world.store.read(
        lambda tx: tx.alerts.page([other.project_id, None], AlertFilter(), limit=10, after=None)
    )
    assert page.items == []


async def test_members_see_the_installations_alerts_and_admins_change_them(world: World):
    later = await world.later(minutes=10)
    await evaluate(later)
    (alert,) = await alerts(later)
    assert (alert.rule, alert.project_id) == ("no_worker", None)
    assert await later.store.read(verbs.find_alert, verbs.Reach(world.ids.new()), alert.id) == alert
    with pytest.raises(NotAllowed):
        await later.store.transact(verbs.acknowledge, reach=mine(world), alert_id=alert.id, actor=ADMIN, note=None)
    reach = mine(world, everything=True)
    done = await later.store.transact(verbs.acknowledge, reach=reach, alert_id=alert.id, actor=ADMIN, note=None)
    assert done.acknowledged_by == ADMIN


def finding(world: World, **fields: Any) -> Finding:
    subject = Subject("ping", "backup", "backup")
    given: dict[str, Any] = {
        "rule": "ping_late",
        "severity": "critical",
        "subject": subject,
        "title": "backup is late",
        "why": "w",
    }
    return Finding(**{**given, "action": AlertAction("look", "/pings"), "project_id": world.project, **fields})


async def test_the_most_severe_come_first_and_acknowledged_ones_last(world: World):
    for name, severity in (("a", "warning"), ("b", "critical"), ("c", "critical"), ("d", "info"), ("e", "critical")):
        one = finding(world, since=await world.now(), severity=severity, subject=Subject("ping", name, name))
        await world.store.transact(verbs.open_alerts, [one])
    by_name = {one.subject_name: one.id for one in await alerts(world)}
    await world.store.transact(verbs.acknowledge, reach=mine(world), alert_id=by_name["c"], actor=ADMIN, note=None)
    await world.execute(
        "UPDATE alerts SET silenced_until = :then WHERE subject_id = 'e'", then=await world.now() + timedelta(hours=1)
    )

    async def worst(limit: int) -> list[str]:
        found = await world.store.read(lambda tx: tx.alerts.worst((world.project, None), limit))
        return [one.subject_name for one in found]

    assert await worst(50) == ["b", "a", "d", "c"]
    assert await worst(2) == ["b", "a"]


async def test_other_code_opens_and_resolves_alerts_of_its_own_rules(world: World):
    await worker(world)
    one = finding(world, since=await world.now())
    assert len(await world.store.transact(verbs.open_alerts, [one])) == 1
    assert await world.store.transact(verbs.open_alerts, [one]) == []
    later = await world.later(hours=1)
    await worker(later)
    await evaluate(later)  # the duty has no such rule, and leaves it alone
    assert await rules(later) == ["ping_late"]
    key = identity(world.project, "ping_late", "ping", "backup")
    assert len(await later.store.transact(verbs.resolve_alerts, [key])) == 1
    assert await later.store.transact(verbs.resolve_alerts, [key]) == []
    assert await rules(later) == []


async def test_a_row_of_a_newer_version_harms_nothing(world: World):
    await failing(world)
    (alert,) = await alerts(world)
    broken = "UPDATE alerts SET severity = 'doom', action = '[]', tags = '7' WHERE id = :id"
    await world.execute(broken, id=alert.id)
    (shown,) = await alerts(world)
    assert (shown.severity, shown.action, shown.tags) == ("warning", AlertAction("", ""), ())
    counts = await world.store.read(lambda tx: tx.alerts.counts(None))
    assert counts.by_severity == {"critical": 0, "warning": 1, "info": 0}
    await evaluate(world)


async def test_notices_are_written_once_at_the_opening_and_once_at_the_end(world: World):
    await channel(world)
    await failing(world)
    await evaluate(world)
    title = "report failed 3 times in a row"
    assert await notices(world) == [("alert", title)]
    (alert,) = await alerts(world)
    for _ in range(2):
        await world.store.transact(verbs.clear_alerts, [alert.id])
    assert await notices(world) == [("alert", title), ("cleared", f"Resolved: {title}")]


async def test_a_silence_holds_back_openings_but_not_the_end_of_what_was_announced(world: World):
    await channel(world)
    await failing(world)
    (alert,) = await alerts(world)
    await silence(world, alert.id, lasting=3600.0)
    await world.store.transact(verbs.clear_alerts, [alert.id])
    assert await kinds(world) == ["alert", "cleared"]  # what a pager opened, it must close
    for _ in range(2):
        await evaluate(world)  # it reopens, silenced, and clears again unannounced
        await world.store.transact(verbs.clear_alerts, [one.id for one in await alerts(world)])
    await evaluate(world)
    assert await kinds(world) == ["alert", "cleared"]
    later = await world.later(hours=2)
    await worker(later)
    for _ in range(2):
        await evaluate(later)  # the silence is over
    assert await kinds(later) == ["alert", "cleared", "alert"]


async def kinds(world: World) -> list[str]:
    return [kind for kind, _ in await notices(world)]


async def channel(world: World) -> None:
    """Without one, the outbox stays empty."""
    await world.execute(
        "INSERT INTO channels (id, project_id, name, kind, enabled, wants_runs, spec, created_by, created_at, "
        "updated_by, updated_at) SELECT :id, :project, 'c', 'webhook', TRUE, FALSE, '{}', 'a', created_at, 'a', "
        "created_at FROM installation",
        id=world.ids.new(),
        project=world.project,
    )
