"""The audit trail: a requested change writes one entry in its own transaction, with actor, action and difference."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.accounts import secrets
from horae.accounts.audit import read_audit
from horae.domain.errors import Conflict, StaleVersion
from horae.domain.jobs.difference import Change
from horae.domain.jobs.retention import Retention
from horae.domain.people.audit import LONGEST, AuditFilter, AuditRecord, Origin, written
from horae.domain.secrets.secret import Sealed
from horae.lifecycle import state
from horae.lifecycle.prune import prune
from tests.contract.world import FAILED, World

ALL = AuditFilter()


async def trail(world: World, where: AuditFilter = ALL, *, limit: int = 200) -> list[AuditRecord]:
    """Oldest first."""
    found = await world.store.read(read_audit, [world.project], where, limit, None)
    return found.items[::-1]


def told(entry: AuditRecord) -> dict[str, Any]:
    return {change["path"]: (change["old"], change["new"]) for change in entry.changes}


async def test_the_life_of_a_job_is_on_record(world: World):
    job = await world.job(name="report", every="1h", queue="mail")
    await world.edit(job, queue="post")
    await world.rollback(job, 1)
    until = await world.now() + timedelta(hours=1)
    await world.pause(job, until=until)
    await world.resume(job)
    await world.disable(job)
    await world.enable(job)
    await world.delete(job)
    found = await trail(world)
    assert [entry.action for entry in found] == [
        "job.create",
        "job.edit",
        "job.rollback",
        "job.pause",
        "job.resume",
        "job.disable",
        "job.enable",
        "job.delete",
    ]
    assert {(entry.subject_kind, entry.subject_id, entry.subject_name) for entry in found} == {
        ("job", job.id, "report")
    }
    created, edited, back, paused, resumed, disabled, enabled, deleted = map(told, found)
    assert created["queue"] == (None, "mail")
    assert created["schedule"] == (None, {"every": "1h"})
    assert "priority" not in created  # what is left at its default says nothing
    assert edited == {"version": (1, 2), "queue": ("mail", "post")}
    assert back == {"version": (2, 3), "queue": ("post", "mail")}
    assert paused["paused"] == (False, True)
    assert datetime.fromisoformat(paused["paused_until"][1]) == until
    assert resumed["paused"] == (True, False)
    assert (disabled, enabled) == ({"enabled": (True, False)}, {"enabled": (False, True)})
    assert deleted == {"version": (3, None)}
    assert [entry.actor for entry in found[:4]] == ["tester", "editor", "editor", "operator"]


async def test_a_change_without_effect_writes_no_entry(world: World):
    job = await world.job(every="1h")
    await world.edit(job)
    await world.resume(job)
    await world.enable(job)
    await world.pause(job)
    await world.pause(job)
    await world.trigger(job)  # the run itself records who requested it
    assert [entry.action for entry in await trail(world)] == ["job.create", "job.pause"]


async def test_a_refused_change_writes_no_entry(world: World):
    job = await world.job(name="one")
    await world.job(name="two")
    with pytest.raises(StaleVersion):
        await world.edit(job, expect=7, queue="mail")
    with pytest.raises(Conflict):
        await world.edit(job, name="two")
    assert [entry.action for entry in await trail(world)] == ["job.create", "job.create"]


async def test_an_edit_whose_reply_was_lost_is_on_record_once(world: World):
    job = await world.job()
    await world.edit(job, reply_lost=True, queue="mail")
    assert [entry.action for entry in await trail(world)] == ["job.create", "job.edit"]


async def test_runs_and_operations(world: World):
    job = await world.job(name="report", every="1h")
    (run,) = await world.trigger(job)
    await world.cancel(run)
    await world.cancel(run)  # it has ended: nothing to do
    now = await world.now()
    operation = await world.backfill(job, now - timedelta(hours=5), now, parallelism=2)
    await world.cancel_operation(operation)
    cancelled, filled, stopped = (await trail(world))[1:]
    assert (cancelled.action, cancelled.subject_id, cancelled.subject_name) == ("run.cancel", run.id, "report")
    assert (filled.action, told(filled)["operation"]) == ("job.backfill", (None, operation.id))
    assert told(filled)["parallelism"] == (None, 2)
    assert (stopped.action, stopped.subject_id) == ("operation.cancel", operation.id)


async def test_workers_and_schedulers_write_no_audit_entries(world: World):
    job = await world.job(every="1h", retry={"max_attempts": 1})
    later = await world.later(hours=2)
    await later.fire()
    (run,) = await later.claim()
    await later.finish(run, outcome=FAILED)
    await later.prune(days=0)
    assert [entry.action for entry in await trail(world)] == ["job.create"], job.id


async def test_secrets_are_named_and_never_shown(world: World):
    sealed = Sealed(world.project, "TOKEN", "v1.ciphertext", "key")
    for _ in range(2):
        await world.store.transact(secrets.set_secret, sealed=sealed, actor="owner")
    await world.store.transact(
        secrets.delete_secret, project_id=world.project, name="TOKEN", force=False, actor="owner"
    )
    found = await trail(world)
    assert [entry.action for entry in found] == ["secret.create", "secret.replace", "secret.delete"]
    assert {(entry.subject_name, entry.actor, len(entry.changes)) for entry in found} == {("TOKEN", "owner", 0)}


async def test_where_it_was_asked_for(world: World):
    job = await world.job(every="1h")
    store = world.store.on_behalf_of(Origin("192.0.2.7", "request-1"))
    await store.transact(state.pause, project_id=world.project, ref=job.id, until=None, actor="someone")
    created, paused = await trail(world)
    assert (created.address, created.request_id) == (None, None)
    assert (paused.address, paused.request_id) == ("192.0.2.7", "request-1")


async def test_filters(world: World):
    begun = await world.now()
    one, two = await world.job(name="one"), await world.job(name="two")
    await world.pause(one)

    async def names(**where: Any) -> list[tuple[str, str | None]]:
        return [(entry.action, entry.subject_name) for entry in await trail(world, AuditFilter(**where))]

    everything = [("job.create", "one"), ("job.create", "two"), ("job.pause", "one")]
    assert await names() == await names(kind="job") == await names(since=begun) == everything
    assert await names(actor="operator") == await names(action="job.pause") == everything[2:]
    assert await names(subject="two") == await names(subject=two.id) == everything[1:2]
    assert await names(kind="secret") == await names(until=begun) == await names(subject="three") == []
    assert await names(since=await world.now() + timedelta(minutes=1)) == []


async def test_pages_hold_while_more_comes(world: World):
    jobs = await world.jobs(5)
    first = await world.store.read(read_audit, [world.project], ALL, 2, None)
    await world.pause(jobs[0])
    second = await world.store.read(read_audit, [world.project], ALL, 2, first.next)
    third = await world.store.read(read_audit, [world.project], ALL, 2, second.next)
    shown = [entry.subject_id for page in (first, second, third) for entry in page.items]
    assert shown == [job.id for job in jobs[::-1]]
    assert third.next is None


async def test_the_installation_is_apart_from_projects(world: World):
    async def add(tx: Any) -> None:
        await tx.audit.add("user.create", actor="admin", project_id=None, id=world.ids.new(), name="ann")

    await world.job(name="one")
    await world.store.transact(add)
    assert [entry.subject_name for entry in await trail(world)] == ["one"]
    both = await world.store.read(read_audit, [world.project, None], ALL, 10, None)
    assert [entry.subject_name for entry in both.items] == ["ann", "one"]


async def test_entries_are_kept_forever_unless_retention_is_set(world: World):
    jobs = await world.jobs(3)
    later = await world.later(days=100)
    await later.pause(jobs[0])
    assert await later.prune(days=1) == 0
    before = await trail(world)
    assert len(before) == 4
    old = Retention(runs=86_400.0, logs=86_400.0, audit=99 * 86_400.0)
    assert (await later.store.transact(prune, keep=old, limit=2)).count == 2
    assert await trail(world) == before[2:]
    assert [(await later.store.transact(prune, keep=old, limit=2)).count for _ in range(2)] == [1, 0]
    assert await trail(world) == before[3:]


def test_long_values_are_cut_and_say_so():
    rows = written([Change("source", None, "x" * (LONGEST + 1)), Change("queue", "a", "b")])
    assert len(rows[0]["new"]) < 300
    assert str(LONGEST + 1) in rows[0]["new"]
    assert rows[1] == {"path": "queue", "old": "a", "new": "b"}
    many = written([Change(f"headers.{n}", None, "") for n in range(1000)])
    assert len(many) < 300
    assert "800 more" in many[-1]["new"]
