"""The outbox: what is written with the end of a run, and its cost without a listener."""

from typing import Any

import pytest

from horae.domain.notify.notice import NewNotice, NoticeKind, Severity
from horae.domain.text.ids import NIL
from tests.contract.noting import noted
from tests.contract.world import CANCELLED, PERMANENT, SUCCEEDED, World
from tests.contract.world import Row as Found


async def listen(world: World, *, project_id: str | None = None, runs: bool = True, enabled: bool = True) -> None:
    """A channel, by its row."""
    await world.execute(
        "INSERT INTO channels (id, project_id, name, kind, enabled, wants_runs, spec, created_by, created_at, "
        f"updated_by, updated_at) VALUES ('{world.ids.new()}', '{project_id or world.project}', '{world.ids.new()}', "
        f"'webhook', {enabled}, {runs}, '{{}}', 'tests', '2030-01-01 00:00:00', 'tests', '2030-01-01 00:00:00')"
    )


async def outbox(world: World) -> list[Found]:
    return await world.rows("SELECT * FROM notices ORDER BY id")


def notice(world: World, **fields: Any) -> NewNotice:
    given: dict[str, Any] = {
        "id": world.ids.new(),
        "project_id": world.project,
        "kind": NoticeKind.ALERT,
        "severity": Severity.CRITICAL,
        "subject_kind": "queue",
        "subject_id": "default",
        "subject_name": "default",
        "title": "Nobody takes what is queued",
        "key": "alert:1",
        "tags": ("finance",),
        "data": {"rule": "waiting"},
    }
    return NewNotice(**{**given, **fields})


async def add(tx: Any, *notices: NewNotice) -> None:
    await tx.notices.add(notices)


async def test_without_a_channel_nothing_is_written(world: World) -> None:
    await world.ended(await world.job(), PERMANENT)
    await listen(world, runs=False)
    await listen(world, enabled=False)
    await world.ended(await world.job(), PERMANENT)
    await world.roll_up()
    assert await outbox(world) == []


async def test_a_failed_run_is_announced_in_the_transaction_that_ends_it(world: World) -> None:
    await listen(world)
    job = await world.job()
    run = await world.ended(job, PERMANENT)
    await world.ended(job)
    await world.ended(job, CANCELLED)
    (row,) = await outbox(world)
    assert (row["kind"], row["severity"], row["subject_kind"]) == ("dead_letter", "warning", "job")
    assert (row["subject_id"], row["incident"]) == (job.id, f"job:{job.id}")
    assert row["path"] == f"/runs/{run.id}"
    assert row["body"] == PERMANENT.error


async def test_only_the_first_of_a_cause_is_a_new_dead_letter(world: World) -> None:
    await listen(world)
    job = await world.job()
    for _ in range(3):
        await world.ended(job, PERMANENT)
    assert [row["kind"] for row in await outbox(world)] == ["dead_letter", "failure", "failure"]


async def test_success_costs_no_statement_and_failure_one(world: World) -> None:
    job, (watched, notes) = await world.job(), await noted(world)
    run = await world.running(job)
    notes.clear()
    await watched.finish(run)
    assert not [sql for sql in notes.statements if "notices" in sql]
    run = await world.running(job)
    notes.clear()
    await watched.finish(run, outcome=PERMANENT)
    assert len([sql for sql in notes.statements if "notices" in sql]) == 1


@pytest.mark.parametrize("rolled_up", [False, True], ids=["in one roll-up", "in two"])
async def test_the_first_success_after_failures_is_a_recovery(world: World, rolled_up: bool) -> None:
    await listen(world)
    job = await world.job()
    await world.ended(job, PERMANENT)
    if rolled_up:
        await world.roll_up()
    world = await world.later(seconds=1)
    run = await world.ended(job)
    await world.roll_up()
    await (await world.later(seconds=2)).ended(job)
    await world.roll_up()
    failed, recovered = await outbox(world)
    assert (recovered["kind"], recovered["severity"]) == ("recovery", "info")
    assert recovered["incident"] == failed["incident"]
    assert recovered["path"] == f"/runs/{run.id}"


async def test_a_cancelled_run_is_not_a_recovery_and_hides_none(world: World) -> None:
    await listen(world)
    job = await world.job()
    for seconds, outcome in enumerate((PERMANENT, CANCELLED, SUCCEEDED)):
        later = await world.later(seconds=seconds)
        await later.ended(job, outcome)
        await later.roll_up()
    assert [row["kind"] for row in await outbox(world)] == ["dead_letter", "recovery"]


async def test_notices_are_stored_with_all_their_fields(world: World) -> None:
    await listen(world)
    await listen(world, project_id=NIL)
    await world.store.transact(add, notice(world), notice(world, project_id=None, tags=(), data={}))
    first, second = await outbox(world)
    assert (first["project_id"], second["project_id"]) == (world.project, None)
    assert (first["title"], first["severity"], first["subject_name"]) == (
        "Nobody takes what is queued",
        "critical",
        "default",
    )


async def test_notices_of_the_installation_and_of_a_project_are_separate(world: World) -> None:
    await listen(world, project_id=NIL)
    await world.store.transact(add, notice(world), notice(world, project_id=None))
    assert [row["project_id"] for row in await outbox(world)] == [None]
