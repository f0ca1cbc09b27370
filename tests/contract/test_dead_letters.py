"""Dead letters: listed, grouped by cause, redriven and discarded, even if a process is killed on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from horae.accounts.audit import read_audit
from horae.domain.errors import Conflict, NotFound
from horae.domain.jobs.job_record import JobRecord
from horae.domain.people.audit import AuditFilter
from horae.domain.runs.claim import Claimed
from horae.domain.runs.dead_letter import DeadFilter, DeadGroup
from horae.domain.runs.operation import Operation
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle import redrive, rerun
from horae.lifecycle.cancel import cancel_operation
from tests.contract.world import OFFERS, World, lost_reply

ALL = DeadFilter()
ONCE = {"max_attempts": 1}


def broken(error: str) -> Outcome:
    return Outcome(AttemptOutcome.FAILED, error=error, permanent=True)


async def fail(
    world: World,
    job: JobRecord,
    count: int = 1,
    error: str = "it broke",
    offers: Sequence[str] = OFFERS,
    **request: Any,
) -> list[str]:
    runs = await world.trigger(job, count, **request)
    claimed = await world.claim(count, offers=offers)
    await world.finish(*claimed, outcome=broken(error))
    return sorted(run.id for run in runs)


async def dead(world: World, where: DeadFilter = ALL, *, limit: int = 200, after: str | None = None) -> list[str]:
    page = await world.store.read(_page, world.project, where, limit, after)
    return [letter.run.id for letter in page.items][::-1]


async def _page(tx: Any, project_id: str, where: DeadFilter, limit: int, after: str | None) -> Any:
    return await tx.dead_letters.page(project_id, where, limit=limit, after=after)


async def groups(world: World, where: DeadFilter = ALL) -> dict[str | None, DeadGroup]:
    async def read(tx: Any) -> Any:
        return await tx.dead_letters.groups(world.project, where, limit=200, after=None)

    return {group.error: group for group in (await world.store.read(read)).items}


async def resolve(
    world: World, kind: str = "redrive", where: DeadFilter = ALL, *, id: str | None = None, **how: Any
) -> Operation:
    return await world.store.transact(
        redrive.resolve,
        operation_id=id or world.ids.new(),
        project_id=world.project,
        resolution=redrive.Resolution(kind, where, **how),
        actor="operator",
    )


async def carry_on(world: World, limit: int = 500) -> int:
    return await world.store.transact(redrive.carry_on, limit=limit)


async def reruns(world: World) -> dict[str, RunRecord]:
    """Live runs by what they repeat."""
    found = (await world.page(limit=200, trigger="retry")).items
    return {str(run.rerun_of): run for run in found}


async def test_only_what_failed_is_dead(world: World):
    job = await world.job(retry=ONCE)
    await world.ended(job)
    assert await dead(world) == []
    failed = await fail(world, job, 2)
    assert await dead(world) == failed


async def test_a_dead_letter_has_the_fields_of_its_run(world: World):
    job = await world.job(name="report", retry=ONCE)
    (run_id,) = await fail(world, job, error="no route to host", input='{"customer": 7}')
    (letter,) = (await world.store.read(_page, world.project, ALL, 10, None)).items
    fields = ("id", "job_id", "job_name", "error", "attempt", "max_attempts", "input")
    assert {name: getattr(letter.run, name) for name in fields} == {
        "id": run_id,
        "job_id": job.id,
        "job_name": "report",
        "error": "no route to host",
        "attempt": 1,
        "max_attempts": 1,
        "input": {"customer": 7},
    }


async def test_fingerprints_differ_by_cause_but_not_by_numbers(world: World):
    one, two = await world.job(name="one", retry=ONCE), await world.job(name="two", retry=ONCE)
    for n in range(3):
        await fail(world, one, error=f"port {n} is closed")
    newest = await fail(world, two, error="port 99 is closed")
    await fail(world, two, error="no such file")
    found = await groups(world)
    assert set(found) == {"port 2 is closed", "port 99 is closed", "no such file"}
    assert [(job.name, job.count) for job in found["port 2 is closed"].jobs] == [("one", 3)]
    assert found["port 2 is closed"].first_at < found["port 2 is closed"].last_at
    closed = found["port 99 is closed"]
    assert (closed.count, closed.last_run_id) == (1, newest[0])
    assert await dead(world, DeadFilter(fingerprint=closed.fingerprint)) == newest
    mine = await groups(world, DeadFilter(job_id=one.id))
    assert [(group.count, len(group.jobs)) for group in mine.values()] == [(3, 1)]


async def test_exit_codes_and_last_lines_are_separate_causes(world: World):
    """Six jobs that end with 1, 2 and 137 are no single cause, and redriving one leaves the others alone."""
    job = await world.job(name="load", retry=ONCE)
    killed: Sequence[Claimed] = ()
    for code, line in ((1, ": KeyError: 'price_eur'"), (1, ": KeyError: 'price_usd'"), (2, ""), (137, "")):
        error = f"exit code {code}{line}"
        await world.trigger(job, 2)
        outcome = Outcome(AttemptOutcome.FAILED, error=error, exit_code=code, permanent=True)
        killed = await world.claim(2)
        await world.finish(*killed, outcome=outcome)
    found = await groups(world)
    assert {error: (group.exit_code, group.count) for error, group in found.items()} == {
        "exit code 1: KeyError: 'price_eur'": (1, 2),
        "exit code 1: KeyError: 'price_usd'": (1, 2),
        "exit code 2": (2, 2),
        "exit code 137": (137, 2),
    }
    chosen = DeadFilter(fingerprint=found["exit code 137"].fingerprint)
    assert await dead(world, chosen) == sorted(run.id for run in killed)


async def test_dead_letters_of_an_older_version_are_found_and_redriven(world: World):
    """Its fingerprint was that of the error alone, and so one group may be of several jobs."""
    one, two = await world.job(name="one", retry=ONCE), await world.job(name="two", retry=ONCE)
    old = [*await fail(world, one, 2, error="exit code 1"), *await fail(world, two, error="exit code 1")]
    await world.execute("UPDATE dead_letters SET fingerprint = '0123456789abcdef'")
    new = await fail(world, one, error="exit code 1")
    before = await world.store.read(lambda tx: tx.dead_letters.groups(world.project, ALL, limit=10, after=None))
    by_print = {group.fingerprint: group for group in before.items}
    assert len(by_print) == 2
    assert [(job.name, job.count) for job in by_print["0123456789abcdef"].jobs] == [("one", 2), ("two", 1)]
    assert await dead(world, DeadFilter(fingerprint="0123456789abcdef")) == sorted(old)
    assert await dead(world) == sorted([*old, *new])


async def test_the_largest_group_comes_first_page_by_page(world: World):
    jobs = {count: await world.job(name=f"job {count}", retry=ONCE) for count in (1, 3, 2)}
    same = await world.job(name="another 2", retry=ONCE)
    for count, job in jobs.items():
        await fail(world, job, count)
    await fail(world, same, 2)
    await world.delete(jobs[3])
    seen: list[DeadGroup] = []
    after, pages = None, 0
    while pages == 0 or after is not None:
        page = await world.store.read(_groups, world.project, 1 if pages else 2, after)
        seen += page.items
        after, pages = page.next, pages + 1
    assert [group.count for group in seen] == [3, 2, 2, 1]
    assert {seen[1].jobs[0].name, seen[2].jobs[0].name} == {"job 2", "another 2"}
    assert (seen[0].jobs[0].name, seen[3].jobs[0].name) == ("job 3", "job 1")
    assert pages == 3


async def _groups(tx: Any, project_id: str, limit: int, after: str | None) -> Any:
    return await tx.dead_letters.groups(project_id, ALL, limit=limit, after=after)


async def test_filters_of_time(world: World):
    job = await world.job(retry=ONCE)
    old = await fail(world, job)
    between = await world.now() + timedelta(minutes=30)
    later = await world.later(hours=1)
    new = await fail(later, job)
    assert await dead(world, DeadFilter(until=between)) == old
    assert await dead(world, DeadFilter(since=between)) == new


async def test_pages_hold_while_letters_come_and_go(world: World):
    job = await world.job(retry=ONCE)
    failed = await fail(world, job, 6)
    first = await world.store.read(_page, world.project, ALL, 2, None)
    await fail(world, job, 2)  # newer than what was shown
    await resolve(world, "discard", DeadFilter(ids=(failed[4], failed[3])), reason="known")
    rest = await dead(world, after=first.next)
    assert [letter.run.id for letter in first.items] == [failed[5], failed[4]]
    assert rest == failed[:3]


async def test_one_is_redriven_under_the_definition_as_it_is_now(world: World):
    job = await world.job(name="report", retry=ONCE)
    (run_id,) = await fail(world, job, input='{"n": 1}')
    await world.edit(job, queue="mail")
    operation = await resolve(world, where=DeadFilter(ids=(run_id,)))
    assert (operation.kind, operation.state, operation.done, operation.total) == ("redrive", "done", 1, 1)
    again = (await reruns(world))[run_id]
    assert (again.version, again.queue, again.input) == (2, "mail", {"n": 1})
    assert (again.trigger, again.triggered_by, again.status) == ("retry", "operator", "queued")
    assert (await world.find(run_id)).status == "failed"
    assert await dead(world) == []


async def test_an_occurrence_keeps_its_time(world: World):
    await world.job(every="1h", retry=ONCE)
    later = await world.later(hours=1)
    await later.fire()
    (run,) = await later.claim()
    await later.finish(run, outcome=broken("it broke"))
    await resolve(later)
    again = (await reruns(later))[run.id]
    assert again.scheduled_for == run.scheduled_for


async def test_a_filter_takes_what_it_finds_and_nothing_else(world: World):
    one, two = await world.job(retry=ONCE), await world.job(retry=ONCE)
    mine, other = await fail(world, one, 3), await fail(world, two, 2)
    operation = await resolve(world, where=DeadFilter(job_id=one.id), input=rerun.NewInput('{"changed": 1}'))
    assert (operation.done, operation.total) == (3, 3)
    again = await reruns(world)
    assert sorted(again) == mine
    assert [run.input for run in again.values()] == [{"changed": 1}] * 3
    assert await dead(world) == other


async def test_what_fails_again_is_not_redriven_forever(world: World):
    job = await world.job(retry=ONCE)
    await fail(world, job, 2)
    operation = await resolve(world, rate=2)
    claimed = await world.claim()
    await world.finish(*claimed, outcome=broken("again"))
    later = await world.later(minutes=1)
    await carry_on(later)
    await carry_on(later)
    assert (await world.operation(operation)).state == "done"
    assert len(await dead(world)) == 2
    assert await world.live(job) == []


async def test_what_fails_later_is_not_redriven_though_it_was_queued_before(world: World):
    """Ids tell when a run was queued, and by whose clock: one from a clock that is ahead must not let others in."""
    job = await world.job(retry=ONCE)
    (early,) = await world.trigger(job)
    (running,) = await world.claim()
    ahead = f"ffffffff-ffff-7fff-bfff-{early.id[-12:]}"
    await fail(world, job, id=ahead)
    await fail(world, job)
    operation = await resolve(world, rate=1)
    await world.finish(running, outcome=broken("later"))
    later = await world.later(minutes=1)
    await carry_on(later)
    await carry_on(later)
    done = await world.operation(operation)
    assert (done.state, done.done, done.total) == ("done", 2, 2)
    assert await dead(world) == [running.id]


async def test_it_goes_on_step_by_step_with_any_number_of_schedulers(world: World):
    job = await world.job(retry=ONCE)
    failed = await fail(world, job, 40)
    operation = await resolve(world, rate=1)  # one goes at once, the others as time passes
    assert (operation.state, operation.done, operation.total) == ("running", 1, 40)
    crowd = [await world.later(minutes=5) for _ in range(4)]
    for _ in range(10):
        await asyncio.gather(*(carry_on(one, limit=3) for one in crowd))
        if (await world.operation(operation)).done > 5:
            break
    faster = await world.later(minutes=10)
    for _ in range(60):
        await carry_on(faster)
        faster = await faster.after(6)
        if (await world.operation(operation)).state == "done":
            break
    assert (await world.operation(operation)).done == 40
    assert sorted(await reruns(world)) == failed
    assert await dead(world) == []


async def test_a_rate_is_kept(world: World):
    job = await world.job(retry=ONCE)
    await fail(world, job, 30)
    operation = await resolve(world, rate=10)
    assert operation.done == 10
    assert await carry_on(world) < 10  # no second has passed
    done = (await world.operation(operation)).done
    later = await world.later(seconds=1)
    assert 10 <= await carry_on(later) <= 12
    assert (await world.operation(operation)).done > done


async def test_two_redrives_at_once_run_each_letter_once(world: World):
    job = await world.job(retry=ONCE)
    failed = await fail(world, job, 20)
    crowd = await world.crowd(3)
    await asyncio.gather(*(resolve(one) for one in crowd), return_exceptions=True)
    found = (await world.page(limit=200, trigger="retry")).items
    assert sorted(str(run.rerun_of) for run in found) == failed


async def test_a_repeated_request_is_the_same_operation(world: World):
    job = await world.job(retry=ONCE)
    await fail(world, job, 3)
    operation_id = world.ids.new()
    first = await world.store.transact(
        lost_reply(redrive.resolve),
        operation_id=operation_id,
        project_id=world.project,
        resolution=redrive.Resolution("redrive", ALL),
        actor="operator",
    )
    assert (first.id, first.done) == (operation_id, 3)
    assert len(await reruns(world)) == 3
    trail = await world.store.read(read_audit, [world.project], AuditFilter(kind="dead_letter"), 10, None)
    (entry,) = trail.items
    told = {change["path"]: change["new"] for change in entry.changes}
    assert (entry.action, entry.subject_id, told["total"]) == ("dead_letter.redrive", operation_id, 3)


async def test_a_cancelled_redrive_leaves_the_rest(world: World):
    job = await world.job(retry=ONCE)
    await fail(world, job, 5)
    operation = await resolve(world, rate=1)
    await world.store.transact(cancel_operation, project_id=world.project, operation_id=operation.id, actor="operator")
    later = await world.later(minutes=1)
    assert await carry_on(later) == 0
    assert len(await dead(world)) == 4


async def test_limits_hold_for_reruns(world: World):
    job = await world.job(retry=ONCE, max_instances=1)
    (one,) = await fail(world, job)
    (two,) = await fail(world, job)
    await resolve(world)
    held = {run_id: run.held for run_id, run in (await reruns(world)).items()}
    assert held == {one: False, two: True}
    assert len(await world.claim()) == 1


async def test_what_a_deleted_job_left_can_only_be_discarded(world: World):
    job = await world.job(retry=ONCE)
    failed = await fail(world, job, 2)
    await world.delete(job)
    with pytest.raises(NotFound):
        await resolve(world, where=DeadFilter(ids=(failed[0],)))
    assert (await resolve(world)).total == 0
    assert await dead(world) == failed
    operation = await resolve(world, "discard", reason="the job is gone")
    assert (operation.state, operation.done) == ("done", 2)
    assert await dead(world) == []


async def test_an_input_that_the_job_refuses_stays_dead_and_blocks_no_other(world: World):
    job, other = await world.job(name="one", retry=ONCE), await world.job(name="two", retry=ONCE)
    await world.edit(job, target={"kind": "http", "url": "https://example.org/"})
    (text,) = await fail(world, job, input='"text"', offers=("http",))
    (fine,) = await fail(world, job, input='{"n": 1}', offers=("http",))
    (beside,) = await fail(world, other)
    await world.edit(job, target={"kind": "python", "function": "work"})  # which takes no text
    operation = await resolve(world)
    assert (operation.state, operation.done, operation.total) == ("done", 2, 3)
    assert operation.error is not None
    assert operation.error.startswith("1 stay dead letters: input: must be an object")
    assert sorted(await reruns(world)) == [fine, beside]
    assert await dead(world) == [text]


async def test_discarded_runs_stay_in_history_until_their_time(world: World):
    job = await world.job(retry=ONCE)
    (run_id,) = await fail(world, job)
    later = await world.later(days=10)
    assert await later.prune(days=5) == 0  # unresolved: retention spares it
    await resolve(world, "discard", DeadFilter(ids=(run_id,)), reason="known")
    assert (await world.find(run_id)).status == "failed"
    assert await later.prune(days=5) == 2  # the run, and the operation that discarded it
    assert await world.history(job) == []


async def test_nothing_to_resolve(world: World):
    for kind in ("redrive", "discard"):
        with pytest.raises(NotFound):
            await resolve(world, kind, DeadFilter(ids=(world.ids.new(),)))


async def retry(world: World, run: Any, **how: Any) -> RunRecord:
    run_id = run if isinstance(run, str) else run.id
    return await world.store.transact(
        rerun.retry_run,
        project_id=world.project,
        run_id=run_id,
        new_id=how.pop("new_id", None) or world.ids.new(),
        actor="operator",
        **how,
    )


async def test_any_run_that_ended_can_be_retried(world: World):
    job = await world.job(retry=ONCE)
    (failed,) = await fail(world, job, input='{"a": 1}')
    succeeded = await world.ended(job)
    for old in (failed, succeeded.id):
        new = await retry(world, old)
        assert (new.rerun_of, new.trigger, new.status) == (old, "retry", "queued")
    assert (await reruns(world))[failed].input == {"a": 1}
    assert await dead(world) == []


async def test_a_run_that_goes_on_or_never_ran_cannot(world: World):
    job = await world.job()
    (run,) = await world.trigger(job)
    with pytest.raises(Conflict, match="queued"):
        await retry(world, run)
    with pytest.raises(NotFound):
        await retry(world, world.ids.new())
    other = await world.ended(await world.job(name="gone"))
    await world.delete("gone")
    with pytest.raises(Conflict, match="deleted"):
        await retry(world, other)


async def test_a_retry_whose_reply_was_lost_makes_one_run(world: World):
    job = await world.job(retry=ONCE)
    (failed,) = await fail(world, job)
    new_id = world.ids.new()
    made = await world.store.transact(
        lost_reply(rerun.retry_run),
        project_id=world.project,
        run_id=failed,
        new_id=new_id,
        actor="operator",
    )
    assert made.id == new_id
    assert len(await world.live(job)) == 1


async def test_the_latest_failed_run_of_a_job(world: World):
    job = await world.job(retry=ONCE)
    how: dict[str, Any] = {"project_id": world.project, "ref": job.id, "actor": "operator"}
    with pytest.raises(Conflict, match="failed"):
        await world.store.transact(rerun.retry_job, new_id=world.ids.new(), **how)
    (_, latest) = [(await fail(world, job))[0] for _ in range(2)]
    await world.ended(job)
    new = await world.store.transact(rerun.retry_job, new_id=world.ids.new(), **how)
    assert new.rerun_of == latest
    # It was the latest failed one, and still is.
    await world.cancel(new)
    new = await world.store.transact(rerun.retry_job, new_id=world.ids.new(), **how)
    assert new.rerun_of == latest


async def test_another_project_has_none_of_them(world: World):
    job = await world.job(retry=ONCE)
    (run_id,) = await fail(world, job)
    other = world.ids.new()
    assert (await world.store.read(_page, other, ALL, 10, None)).items == []
    with pytest.raises(NotFound):
        await world.store.transact(
            redrive.resolve,
            operation_id=world.ids.new(),
            project_id=other,
            resolution=redrive.Resolution("redrive", DeadFilter(ids=(run_id,))),
            actor="stranger",
        )
    assert await dead(world) == [run_id]
