"""A paused queue: nothing of it is claimed, by any worker, until it is resumed."""

from collections.abc import Collection

import pytest

from horae.accounts.audit import read_audit
from horae.domain.errors import NotFound
from horae.domain.jobs.queue import QueueRecord
from horae.domain.people.audit import AuditFilter
from horae.lifecycle import explain, queues
from tests.contract.damage import tear
from tests.contract.world import World


async def switch(world: World, verb: str, name: str) -> QueueRecord:
    work = queues.pause_queue if verb == "pause" else queues.resume_queue
    return await world.store.transact(work, project_id=world.project, name=name, actor="admin")


async def found(world: World) -> dict[str, QueueRecord]:
    use = await world.store.read(queues.queue_use, world.project)
    page = await world.store.read(queues.list_queues, world.project, use, everything=True)
    return {queue.name: queue for queue in page.items}


async def test_nothing_of_a_paused_queue_is_claimed(world: World):
    mail, other = await world.job(queue="mail"), await world.job(queue="other")
    await world.trigger(mail, 2)
    await world.trigger(other)
    await switch(world, "pause", "mail")
    claims = await world.claims(queues=("mail", "other"))
    assert [run.job_id for run in claims.runs] == [other.id]
    claims = await world.claims(queues=("mail", "other"))
    assert (claims.runs, claims.idle_for) == ([], None)  # nothing to wait for
    await switch(world, "resume", "mail")
    assert len((await world.claims(queues=("mail", "other"))).runs) == 2


async def test_lanes_keep_their_order_beside_a_paused_queue(world: World):
    jobs = {queue: await world.job(queue=queue) for queue in ("a", "b", "c")}
    for job in jobs.values():
        await world.trigger(job, priority=1)
        await world.trigger(job, priority=9)
    await switch(world, "pause", "b")
    taken = [(await world.claims(1, queues=("c", "b", "a"))).runs[0].id for _ in range(4)]
    runs = [await world.find(run_id) for run_id in taken]
    assert [(run.queue, run.priority) for run in runs] == [("c", 9), ("c", 1), ("a", 9), ("a", 1)]


async def test_running_runs_continue_in_a_paused_queue(world: World):
    job = await world.job(queue="mail")
    (run,) = await world.trigger(job)
    (claimed,) = (await world.claims(queues=("mail",))).runs
    await switch(world, "pause", "mail")
    await world.finish(claimed)
    assert (await world.find(run)).status == "succeeded"


async def test_counts_and_who_paused_it(world: World):
    mail = await world.job(queue="mail")
    await world.job(queue="idle")
    await world.trigger(mail, 3)
    await world.claims(1, queues=("mail",))
    await switch(world, "pause", "mail")
    known = await found(world)
    assert (known["mail"].queued, known["mail"].running, known["mail"].paused_by) == (2, 1, "admin")
    assert (known["idle"].queued, known["idle"].paused_at) == (0, None)


async def test_pausing_and_resuming_are_audited_once(world: World):
    await world.job(queue="mail")
    for verb in ("pause", "pause", "resume", "resume"):
        await switch(world, verb, "mail")
    trail = await world.store.read(read_audit, [None], AuditFilter(kind="queue"), 10, None)
    assert [(entry.action, entry.subject_name) for entry in trail.items] == [
        ("queue.resume", "mail"),
        ("queue.pause", "mail"),
    ]


async def test_a_queue_that_no_job_names(world: World):
    with pytest.raises(NotFound):
        await switch(world, "pause", "nobody")


async def test_why_says_that_the_queue_is_paused(world: World):
    job = await world.job(name="report", queue="mail")
    (run,) = await world.trigger(job)
    await switch(world, "pause", "mail")
    for explanation in (
        await world.store.read(explain.explain_run, project_id=world.project, run_id=run.id),
        await world.store.read(explain.explain_job, project_id=world.project, ref="report"),
    ):
        gate = next(gate for gate in explanation.gates if gate.name == "queue")
        assert (gate.state, gate.unblock) == ("closed", "horae queues resume mail")
        assert "paused" in gate.detail
        assert "by admin" in gate.detail


# ---- those that nothing names


async def forget(world: World) -> set[str]:
    """As upkeep does; the queues that are left."""
    unused = await world.store.read(queues.unused_queues)
    await world.store.transact(queues.forget_queues, names=unused or ["none"])
    return set(await found(world))


async def test_a_queue_that_nothing_names_disappears(world: World):
    kept, gone = await world.job(queue="kept"), await world.job(queue="gone")
    moved = await world.job(queue="before")
    await world.edit(moved, queue="after")
    await world.delete(gone)
    assert await forget(world) == {"kept", "gone", "before", "after"}, "it may be named again in a moment"
    later = await world.later(hours=3)
    assert await forget(later) == {"kept", "after"}
    assert (await world.look(kept)).spec.queue == "kept"


async def test_a_queue_with_a_live_run_or_a_pause_stays(world: World):
    moved, paused = await world.job(queue="busy"), await world.job(queue="paused")
    await world.trigger(moved)
    await world.edit(moved, queue="other")
    await switch(world, "pause", "paused")
    await world.delete(paused)
    later = await world.later(hours=3)
    assert await forget(later) == {"busy", "other", "paused"}


async def test_a_queue_that_was_just_named_again_stays(world: World):
    await world.delete(await world.job(queue="mail"))
    later = await world.later(hours=3)
    unused = await later.store.read(queues.unused_queues)
    assert unused == ["mail"]
    await later.job(queue="mail")
    await later.store.transact(queues.forget_queues, names=unused)
    assert "mail" in await found(later)


async def test_a_job_that_cannot_be_read_may_name_any_queue(world: World):
    damaged = await world.job(queue="one")
    await world.delete(await world.job(queue="two"))
    await tear(world, damaged)
    later = await world.later(hours=3)
    assert await later.store.read(queues.unused_queues) == []


async def test_the_engine_of_a_queue_is_chosen_announced_and_stored(world: World):
    await world.job(queue="mail")
    told: list[str] = []

    async def send(hints: Collection[str]) -> None:
        told.extend(hints)

    world.store.send = send
    for engine in ("celery", "celery", None, "database"):
        changed = await world.store.transact(
            queues.choose_engine, project_id=world.project, name="mail", engine=engine, actor="admin"
        )
        assert changed.engine == engine
    assert sorted(told) == sorted(["runs:", "publish:mail"] * 3)
    assert (await found(world))["mail"].engine == "database"
    assert await world.store.read(queues.chosen_engines) == {"mail": "database"}
    with pytest.raises(NotFound):
        await world.store.transact(
            queues.choose_engine, project_id=world.project, name="nowhere", engine=None, actor="admin"
        )
    later = await world.later(hours=3)
    assert await later.store.read(queues.unused_queues) == []
    assert await later.store.transact(queues.forget_queues, names=["mail"]) == 0
