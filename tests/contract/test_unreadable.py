"""An unreadable job harms no other: loops over many jobs continue, and report what they left out."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from horae.api.merge import patched
from horae.controllers.stored import StoreController
from horae.domain.cluster.process import WorkerSign
from horae.domain.errors import Unreadable
from horae.domain.jobs.fault import Portion
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.unreadable import UnreadableSpec
from horae.domain.people.audit import AuditFilter
from horae.domain.runs.claim import Claimed
from horae.domain.runs.dead_letter import DeadFilter
from horae.domain.runs.operation import NewOperation
from horae.lifecycle import fire
from horae.lifecycle.edit import edit_job
from horae.lifecycle.give_back import GivenBack, give_back
from horae.lifecycle.redrive import DISCARD, REDRIVE, Resolution, carry_on, resolve
from horae.ports import Transaction
from horae.processes.definitions import DefinitionCache
from tests.contract.damage import FORMS, damage, emptied, newer_kind, newer_zone, put, tear
from tests.contract.explaining import alive, of_job, of_run
from tests.contract.world import ALL_SHARDS, FAILED, World, ids, spec

MINUTELY: dict[str, Any] = {"every": "1m"}
Harm = Callable[[World, JobRecord], Awaitable[None]]
HARMS: list[Any] = [
    *(pytest.param(lambda world, job, form=form: damage(world, job, form), id=form.__name__) for form in FORMS),
    pytest.param(tear, id="torn"),
]
harmed = pytest.mark.parametrize("harm", HARMS)


async def returned(world: World, worker: WorkerSign, *runs: Claimed, patience: float = 300.0) -> GivenBack:
    reasons = {(run.job_id, run.version): "it is written in another hand" for run in runs}
    return await world.store.transact(
        give_back, worker_id=worker.id, runs=runs, reasons=reasons, offline_after=60.0, patience=patience
    )


# Firing


@harmed
async def test_fire_leaves_it_out_and_fires_all_others(world: World, harm: Harm) -> None:
    bad, *good = await world.jobs(3, **MINUTELY)
    await harm(world, bad)
    soon = await world.later(minutes=2)
    fired = await soon.fire()
    assert {row["job_id"] for row in await world.live()} == ids(good)
    assert [one.job_id for one in fired.left_out] == [bad.id]
    assert (fired.idle_for or 0) > 0  # what is left out is nothing to wait for
    assert (await world.look(bad)).fired_through is None  # nothing of it is lost: it fires when it can be read


async def test_unreadable_jobs_take_no_place_in_a_batch(world: World) -> None:
    bad = await world.jobs(12, **MINUTELY)
    good = await world.jobs(3, **MINUTELY)
    await world.execute("UPDATE jobs SET next_run_at = anchor_at")  # the bad ones come first
    for job in bad:
        await damage(world, job)
    soon = await world.later(minutes=2)
    passing, ticks = 0, 0
    while True:
        ticks += 1
        fired = await soon.store.transact(
            fire.fire, shards=ALL_SHARDS, limit=4, scheduler_id=world.ids.new(), passing=passing
        )
        passing = len(fired.left_out)
        if not fired.more:
            break
    assert {row["job_id"] for row in await world.live()} >= ids(good)
    assert ticks <= 6
    assert passing == 12


async def test_a_plan_that_alone_is_damaged_is_derived_once_more(world: World) -> None:
    job = await world.job(**MINUTELY)
    await put(world, job, plan="{}")
    assert (await (await world.later(minutes=2)).fire()).left_out == ()
    assert len(await world.live(job)) == 1
    assert len(await world.trigger(job)) == 1


async def test_once_readable_again_it_fires_by_its_catch_up_rule(world: World) -> None:
    job = await world.job(**MINUTELY)
    (before,) = await world.rows("SELECT plan, (SELECT spec FROM job_versions) AS spec FROM jobs")
    await damage(world, job)
    soon = await world.later(minutes=10)
    assert len((await soon.fire()).left_out) == 1
    await put(world, job, spec=before["spec"], plan=before["plan"])
    await soon.fire()
    (run,) = await world.live(job)
    (missed,) = await world.history(job, status="skipped")
    assert missed["occurrences"] in (9, 10)
    assert run["scheduled_for"] > missed["scheduled_until"]


async def test_one_that_was_left_out_counts_again_once_it_was_edited(world: World) -> None:
    """The hint about the edit may be lost: a scheduler that only asks when something is due must learn of it."""
    job = await world.job(**MINUTELY)
    await damage(world, job)
    soon = await world.later(minutes=2)
    (left,) = (await soon.fire()).left_out
    left_out = {(left.job_id, left.version)}
    assert await soon.store.read(fire.idle_for, shards=ALL_SHARDS, left_out=left_out) is None
    await soon.store.transact(
        edit_job,
        project_id=world.project,
        ref=job.id,
        change=lambda _: job.spec,
        expected_version=None,
        actor="editor",
    )
    assert await soon.store.read(fire.idle_for, shards=ALL_SHARDS, left_out=left_out) is not None


# Claimed runs


async def test_a_run_goes_back_uncounted_and_not_at_once(world: World) -> None:
    worker, other = await alive(world), await alive(world, scheduler=False)
    run = await world.running()
    assert await returned(world, worker, run) == GivenBack(1, 0)
    assert await returned(world, worker, run) == GivenBack(0, 0)  # a repetition finds nothing
    (row,) = await world.live()
    assert (row["status"], row["attempt"], row["uncounted"], row["worker_id"]) == ("queued", 1, 1, None)
    assert await world.claim() == []  # not before a pause
    (again,) = await (await world.later(seconds=3)).claim()
    assert (again.id, again.attempt, again.uncounted) == (run.id, 2, 1)
    assert other.id != worker.id


async def test_a_run_fails_when_no_capable_worker_can_read_its_definition(world: World) -> None:
    worker, other = await alive(world), await alive(world, scheduler=False)
    await alive(world, scheduler=False, queues=("elsewhere",))  # could not take it
    await alive(world, scheduler=False, offers=("http",))  # nor could this one
    run = await world.running()
    assert await returned(world, worker, run, patience=0) == GivenBack(1, 0)
    (run,) = await (await world.later(seconds=5)).claim()
    assert await returned(world, other, run, patience=0) == GivenBack(0, 1)
    ended = await world.find(run)
    assert (ended.status, ended.reason, ended.attempt - ended.uncounted) == ("failed", "definition", 1)
    assert "another hand" in str(ended.error)
    why = await of_run(world, run)
    assert "no worker could read version 1" in why.summary


async def test_workers_that_are_starting_get_a_grace_period(world: World) -> None:
    worker = await alive(world)
    run = await world.running()
    assert await returned(world, worker, run, patience=300) == GivenBack(1, 0)
    late = await world.later(seconds=301)
    await alive(late, scheduler=False, worker=False)
    await late.store.transact(lambda tx: tx.processes.register_worker(worker))
    (run,) = await late.claim()
    assert await returned(late, worker, run, patience=300) == GivenBack(0, 1)


async def test_a_worker_reads_it_again_each_time(world: World) -> None:
    """The row may have been repaired: otherwise only a restart would make the worker notice."""
    worker = await alive(world)
    job = await world.job()
    (row,) = await world.rows("SELECT spec FROM job_versions")
    definitions = DefinitionCache(StoreController(world.store, world.ids.chance), worker.id)
    await world.trigger(job)
    await damage(world, job, newer_kind)
    assert await definitions.of(await world.claim()) == {}
    await put(world, job, spec=row["spec"])
    runs = await (await world.later(seconds=3)).claim()
    assert [found.fault for found in (await definitions.of(runs)).values()] == [None]


async def test_a_cancel_outranks_it(world: World) -> None:
    worker = await alive(world)
    run = await world.running()
    await world.cancel(run)
    assert await returned(world, worker, run) == GivenBack(0, 1)
    assert (await world.find(run)).status == "cancelled"


# Sweeping


@harmed
async def test_recover_takes_back_all_lost_runs(world: World, harm: Harm) -> None:
    good, bad = await world.running(), await world.running(await world.job(**MINUTELY))
    await harm(world, await world.look(bad.job_id))
    assert await (await world.later(minutes=1)).recover() == 2
    assert {row["id"]: row["status"] for row in await world.live()} == {good.id: "queued", bad.id: "queued"}


@harmed
async def test_expire_ends_all_that_were_not_started_in_time(world: World, harm: Harm) -> None:
    good, bad = await world.job(start_within=5), await world.job(start_within=5, **MINUTELY)
    for job in (good, bad):
        await world.trigger(job)
    await harm(world, bad)
    assert await (await world.later(minutes=1)).expire() == 2


@harmed
async def test_the_end_of_a_run_does_not_hang_on_those_that_wait_for_it(world: World, harm: Harm) -> None:
    load = await world.job(name="load")
    bad = await world.job(after={"job": "load"}, queue="slow")
    good = await world.job(after={"job": "load"})
    await harm(world, bad)
    run = await world.running(load)
    await world.finish(run)
    assert (await world.find(run)).status == "succeeded"
    assert [row["job_id"] for row in await world.live()] == [good.id]
    (skipped,) = await world.history(bad)
    assert (skipped["status"], skipped["reason"], skipped["parent_run_id"]) == ("skipped", "definition", run.id)


async def test_a_damaged_operation_fails_and_the_others_go_on(world: World) -> None:
    jobs = await world.jobs(2, **MINUTELY)
    start = await world.now()
    late = await world.later(minutes=10)
    one, other = [await late.backfill(job, start, await late.now(), parallelism=1) for job in jobs]
    await world.execute("UPDATE operations SET details = :text WHERE id = :id", text="{}", id=one.id)
    runs = await late.claim()
    await late.finish(*runs)
    assert (await world.operation(one)).state == "failed"
    assert (await world.operation(other)).state == "running"
    assert {(await world.find(run)).status for run in runs} == {"succeeded"}


# What people see


@harmed
async def test_lists_show_it_among_the_others(world: World, harm: Harm) -> None:
    bad = await world.job(name="bad", tags=["x"], **MINUTELY)
    good = await world.job(name="good", tags=["x"])
    for job in (bad, good):
        await world.trigger(job)
        await world.finish(*await world.claim(), outcome=FAILED)
    await harm(world, bad)
    page = await world.store.read(lambda tx: tx.jobs.page(world.project, JobFilter(), limit=10, after=None))
    assert [(job.spec.name, bool(job.spec.fault)) for job in page.items] == [("bad", True), ("good", False)]
    tagged = await world.store.read(lambda tx: tx.jobs.page(world.project, JobFilter(tag="x"), limit=10, after=None))
    assert good.id in {job.id for job in tagged.items}
    assert len((await world.page()).items) == 2
    (version,) = await world.versions(bad)
    assert version.spec.fault
    assert "cannot read its definition" in (await of_job(world, bad)).summary
    (queued,) = await world.live(bad)
    assert "cannot read its definition" in (await of_run(world, queued)).summary


@harmed
async def test_its_runs_have_the_name_of_their_job(world: World, harm: Harm) -> None:
    job = await world.job(name="before", retry={"max_attempts": 1})
    old = await world.running(job)
    await world.finish(old, outcome=FAILED)
    edited = await world.edit(job, name="report")
    ended = await world.running(edited)
    await world.finish(ended, outcome=FAILED)
    (live,) = await world.trigger(edited)
    await harm(world, edited)
    names = {run.id: run.job_name for run in (await world.page()).items}
    assert names == {old.id: "before", ended.id: "report", live.id: "report"}
    assert (await world.find(ended)).job_name == "report"

    async def dead(tx: Transaction) -> tuple[list[str], set[str]]:
        letters = await tx.dead_letters.page(world.project, DeadFilter(), limit=10, after=None)
        groups = await tx.dead_letters.groups(world.project, DeadFilter(), limit=10, after=None)
        return [one.run.job_name for one in letters.items], {part.name for one in groups.items for part in one.jobs}

    assert await world.store.read(dead) == (["report", "before"], {"report"})
    await world.delete(edited)
    assert (await world.find(ended)).job_name in ("report", job.id)  # of some nothing else is left


async def test_all_definitions_are_tried_a_portion_at_a_time(world: World) -> None:
    jobs = await world.jobs(5)
    await damage(world, jobs[1], newer_kind)
    await world.execute("DELETE FROM job_versions WHERE job_id = :id", id=jobs[4].id)

    async def walk(tx: Transaction) -> list[Portion]:
        found = [await tx.unreadable.portion(None, 2)]
        while found[-1].next is not None:
            found.append(await tx.unreadable.portion(found[-1].next, 2))
        return found

    seen = await world.store.read(walk)
    assert [portion.tried for portion in seen] == [2, 2, 1]
    found = {fault.name: fault.reason for portion in seen for fault in portion.faults}
    assert found == {
        jobs[1].spec.name: "target has a kind that this version does not know",
        jobs[4].spec.name: "version 1 of its job cannot be found",
    }


@harmed
async def test_what_needs_the_definition_is_refused_and_the_rest_is_not(world: World, harm: Harm) -> None:
    job = await world.job(**MINUTELY)
    await harm(world, job)
    for refused in (world.trigger(job), world.backfill(job, job.anchor_at, job.anchor_at)):
        with pytest.raises(Unreadable, match="cannot read the definition"):
            await refused
    await world.pause(job)
    await world.resume(job)
    await world.disable(job)
    with pytest.raises(Unreadable):
        await world.enable(job)
    await world.delete(job)


@pytest.mark.parametrize("form", [newer_kind, newer_zone, emptied])
async def test_replacing_the_definition_makes_it_readable(world: World, form: Any) -> None:
    job = await world.job(name="report", **MINUTELY)
    await damage(world, job, form)
    mended = await world.store.transact(
        edit_job,
        project_id=world.project,
        ref=job.id,
        change=lambda _: spec(name="report", every="1h"),
        expected_version=1,
        actor="editor",
    )
    assert (mended.version, mended.spec.fault, mended.spec.name) == (2, None, "report")
    assert mended.next_run_at is not None
    with pytest.raises(Unreadable, match="cannot read version 1"):
        await world.rollback(job, 1)


async def test_an_earlier_version_brings_it_back(world: World) -> None:
    job = await world.job(**MINUTELY)
    edited = await world.edit(job, priority=7)
    await damage(world, edited)
    back = await world.rollback(job, 1)
    assert (back.version, back.spec.priority, back.spec.fault) == (3, 5, None)
    assert back.next_run_at is not None


async def test_fields_of_a_newer_version_are_kept_by_edits_and_rollbacks(world: World) -> None:
    job = await world.job(**MINUTELY)

    def newer(spec: Any, plan: Any) -> None:
        spec["moon"] = plan["moon"] = {"phase": "full"}

    await damage(world, job, newer)
    assert (await world.look(job)).spec.fault is None
    assert (await (await world.later(minutes=2)).fire()).left_out == ()

    async def stored(version: int) -> Any:
        (row,) = await world.rows(
            "SELECT s.spec, j.plan FROM job_versions s JOIN jobs j ON j.id = s.job_id WHERE s.version = :n", n=version
        )
        return [json.loads(row[column]).get("moon") for column in ("spec", "plan")]

    await world.store.transact(
        edit_job,
        project_id=world.project,
        ref=job.id,
        change=lambda spec: patched(spec, {"priority": 8}),
        expected_version=1,
        actor="editor",
    )
    assert await stored(2) == [{"phase": "full"}] * 2
    await world.rollback(job, 1)
    assert await stored(3) == [{"phase": "full"}] * 2


async def test_the_secrets_that_it_seems_to_name_are_spared(world: World) -> None:
    job = await world.job(**MINUTELY)

    def newer(spec: Any, plan: Any) -> None:
        spec["target"] = {"kind": "pigeon", "note": "{{ secrets.TOKEN }}", "sign_with": ["SEAL"]}

    await damage(world, job, newer)
    stand_in = (await world.look(job)).spec
    assert isinstance(stand_in, UnreadableSpec)
    assert stand_in.target.secrets == {"TOKEN", "SEAL"}
    (user,) = await world.store.read(lambda tx: tx.secrets.named_by(world.project, "TOKEN", 5))
    assert user.name == stand_in.name


# Other rows


async def test_other_damaged_rows_break_no_list(world: World) -> None:
    torn = "[" if world.kind != "postgresql" else "7"
    await alive(world)
    await world.execute("UPDATE workers SET queues = :torn, offers = :torn", torn=torn)
    (worker,) = await world.store.read(lambda tx: tx.processes.workers(60.0))
    assert (worker.queues, worker.offers) == ((), ())
    await world.execute("UPDATE task_functions SET parameters = :torn WHERE name = 'work'", torn=torn)
    job = await world.job()  # its arguments cannot be checked, and that is no reason to refuse it
    await world.trigger(job, input='{"a": 1}')
    await world.execute("UPDATE audit_log SET changes = :torn", torn=torn)
    page = await world.store.read(lambda tx: tx.audit.page(None, AuditFilter(), limit=10, after=None))
    assert [entry.changes for entry in page.items] == [[]] * len(page.items)


async def test_a_damaged_redrive_fails_and_the_others_go_on(world: World) -> None:
    jobs = await world.jobs(2, retry={"max_attempts": 1})
    for job in jobs:
        await world.ended(job, FAILED)

    async def begin(tx: Transaction, kind: str) -> str:
        operation_id = tx.new_id()
        details = {"rate": 0.001, "filter": {}, "at": "2026-01-01T00:00:00+00:00", "after": "0", "through": "f"}
        asked = NewOperation(operation_id, world.project, kind, None, details, 2, "tester")
        await tx.operations.insert(asked)
        return operation_id

    broken = await world.store.transact(begin, REDRIVE)
    await world.execute("UPDATE operations SET details = '{}' WHERE id = :id", id=broken)
    resolution = Resolution(DISCARD, DeadFilter(), rate=1)
    going = await world.store.transact(
        resolve, operation_id=world.ids.new(), project_id=world.project, resolution=resolution, actor="tester"
    )
    assert await (await world.later(minutes=1)).store.transact(carry_on) == 1
    states = {row["id"]: row["state"] for row in await world.rows("SELECT id, state FROM operations")}
    assert states == {broken: "failed", going.id: "done"}
