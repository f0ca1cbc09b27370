"""Functions: registered by workers, enabled and disabled by admins, and the jobs and runs that depend on them."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.function import FunctionChange, FunctionRecord, FunctionSign, check_arguments
from horae.domain.jobs.function_path import FoundPaths, FunctionPath
from horae.domain.jobs.task import describe
from horae.domain.runs.states import Trigger
from horae.lifecycle import functions
from horae.lifecycle.backfill import Backfill, start_backfill
from horae.lifecycle.explain import explain_job
from horae.lifecycle.submit import TriggerRequest, trigger
from horae.ports import Transaction
from tests.contract.world import World, spec


def send(customer: int, day: date | None = None, copies: int = 1) -> None:
    """Sends a report.

    To someone."""


SEND = describe(send, name="mail.send", queue="mail", timeout=60)
TARGET = {"kind": "python", "function": "mail.send", "arguments": {"customer": 7}}


async def register(world: World, *signs: FunctionSign) -> None:
    await world.store.transact(functions.register_functions, signs or [FunctionSign.of(SEND)])


async def find(world: World, name: str = "mail.send") -> FunctionRecord:
    async def read(tx: Transaction) -> FunctionRecord | None:
        return await tx.functions.find(name)

    found = await world.store.read(read)
    assert found is not None
    return found


async def change(world: World, name: str = "mail.send", **changes: Any) -> FunctionRecord:
    return await world.store.transact(
        functions.change_function, name=name, change=FunctionChange(**changes), actor="tester"
    )


async def test_what_a_worker_registers(world: World) -> None:
    await register(world)
    found = await find(world)
    assert (found.display_name, found.description) == ("Send", "Sends a report.\n\nTo someone.")
    assert (found.kind, found.queue, found.default_timeout) == ("process", "mail", 60)
    assert found.handler.endswith("test_functions.send")
    assert found.parameters == FunctionSign.of(SEND).parameters
    assert (found.is_active, found.is_system, found.is_edited) == (True, False, False)


async def test_registering_again_keeps_what_people_decided(world: World) -> None:
    await register(world)
    first = await find(world)
    await change(world, is_active=False, display_name="Letters")
    again = await world.later(minutes=5)
    await register(again, FunctionSign.of(describe(send, name="mail.send", description="Another.", isolation="thread")))
    found = await find(world)
    assert (found.is_active, found.display_name, found.description) == (
        False,
        "Letters",
        "Sends a report.\n\nTo someone.",
    )
    assert (found.kind, found.queue) == ("thread", None)
    assert found.first_seen_at == first.first_seen_at
    assert found.last_seen_at > first.last_seen_at


async def test_registering_many_at_once(world: World) -> None:
    signs = [FunctionSign.of(describe(send, name=f"f{n:03}")) for n in range(300)]
    await register(world, *reversed(signs))
    await register(world)

    async def pages(tx: Transaction) -> list[str]:
        found: list[str] = []
        after = None
        while True:
            page = await tx.functions.page(limit=100, after=after)
            found += [one.name for one in page.items]
            if (after := page.next) is None:
                return found

    assert await world.store.read(pages) == [*(sign.name for sign in signs), "mail.send", "work"]


@pytest.mark.parametrize(
    ("arguments", "field", "words"),
    [
        ({}, "target.arguments.customer", "is missing"),
        ({"customer": "7"}, "target.arguments.customer", "must be a whole number"),
        ({"customer": True}, "target.arguments.customer", "must be a whole number"),
        ({"customer": 7, "kopies": 2}, "target.arguments.kopies", "is not an argument of this function"),
        ({"customer": 7, "day": 3}, "target.arguments.day", "must be a text or null"),
        ({"customer": 7, "context": {}}, "target.arguments.context", "is not an argument of this function"),
    ],
)
async def test_arguments_that_do_not_fit(world: World, arguments: dict[str, Any], field: str, words: str) -> None:
    await register(world)
    for make in (_created, _edited):
        with pytest.raises(InvalidInput) as refused:
            await make(world, {**TARGET, "arguments": arguments})
        assert (refused.value.field, refused.value.args[0]) == (field, words)


async def _created(world: World, target: dict[str, Any]) -> None:
    await world.job(target=target, every="1h")


async def _edited(world: World, target: dict[str, Any]) -> None:
    job = await world.job(every="1h")
    await world.edit(job, target=target, every="1h")


async def test_a_job_that_people_start_may_leave_arguments_to_them(world: World) -> None:
    await register(world)
    job = await world.job(target={**TARGET, "arguments": {"copies": 2}})
    assert job.spec.target.arguments == {"copies": 2}  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match=r"target\.arguments\.copies: must be a whole number"):
        await world.job(target={**TARGET, "arguments": {"copies": "2"}})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mail.sent", "; did you mean 'mail.send'?"),
        ("x", ": start a worker that imports it, or `horae functions register`"),
    ],
)
async def test_a_job_with_an_unregistered_function_is_refused(world: World, name: str, hint: str) -> None:
    await register(world)
    for make in (_created, _edited):
        with pytest.raises(InvalidInput) as refused:
            await make(world, {"kind": "python", "function": name})
        assert refused.value.field == "target.function"
        assert refused.value.args[0] == f"no worker has registered a function with this name{hint}"


async def test_a_function_that_is_switched_off(world: World) -> None:
    await register(world)
    job = await world.job(target=TARGET)
    await change(world, is_active=False)
    words = "the function mail.send is disabled"
    for make in (_created, _edited):
        with pytest.raises(InvalidInput, match=words):
            await make(world, TARGET)
    with pytest.raises(InvalidInput, match=words):
        await world.edit(job, target=TARGET, description="another")
    with pytest.raises(Conflict, match=words):
        await world.trigger(job)
    await change(world, is_active=True)
    await world.trigger(job)


async def test_switching_a_function_off_stops_its_schedules(world: World) -> None:
    """Also those that follow another job; other jobs and other functions are not affected."""
    await register(world)
    clock = await world.job(target=TARGET, every="1h")
    other = await world.job(every="1h")
    upstream = await world.job()
    follower = await world.job(target=TARGET, schedule={"after": {"job": upstream.spec.name}})
    await change(world, is_active=False)
    now = await world.later(hours=1.5)
    await now.fire()
    (row,) = await now.history(clock, status="skipped")
    assert row["reason"] == "function"
    assert [run["job_id"] for run in await now.live()] == [other.id]
    with pytest.raises(Conflict, match=r"mail\.send is disabled"):
        await now.store.transact(
            start_backfill,
            operation_id=now.ids.new(),
            project_id=now.project,
            ref=clock.id,
            wanted=Backfill(clock.anchor_at, clock.anchor_at + timedelta(hours=1)),
            actor="tester",
        )
    found = await now.store.read(explain_job, project_id=now.project, ref=clock.id)
    assert found.cause is not None
    assert found.cause.name == "function"
    assert "mail.send) is disabled" in found.summary
    await now.ended(upstream)
    (row,) = await now.history(follower, status="skipped")
    assert row["reason"] == "function"

    await change(now, is_active=True)
    after = await now.later(hours=1)
    await after.fire()
    assert len(await after.history(clock, status="skipped")) == 1
    assert clock.id in [run["job_id"] for run in await after.live()], "it continues; nothing is caught up"


async def test_an_edit_does_not_run_what_a_disabled_function_missed(world: World) -> None:
    await register(world)
    job = await world.job(target=TARGET, every="1s")
    await change(world, is_active=False)
    now = await world.later(seconds=1.5)
    await now.edit(job, every="1h", target={"kind": "python", "function": "work"})
    assert await now.live() == []
    (row,) = await now.history(job, status="skipped")
    assert row["reason"] == "function"


async def test_a_function_by_path(world: World) -> None:
    new = FunctionPath("shop.pack", "shop.tasks.pack", queue="mail", default_timeout=60)
    made = await world.store.transact(functions.add_path, new=new, actor="tester")
    assert (made.handler_path, made.import_error, made.imported_at) == ("shop.tasks.pack", None, None)
    with pytest.raises(Conflict, match="is registered already"):
        await world.store.transact(functions.add_path, new=new, actor="tester")
    await world.job(target={"kind": "python", "function": "shop.pack", "arguments": {"unknown": "yet"}})
    paths = await world.store.read(functions.function_paths)
    assert paths == {"shop.pack": "shop.tasks.pack"}

    async def report(one: World, found: FoundPaths) -> FunctionRecord:
        await one.store.transact(functions.report_paths, paths, found, "worker-1")
        return await find(one, "shop.pack")

    missing = FoundPaths(errors={"shop.pack": "No module named 'shop'"})
    found = await report(world, missing)
    assert found.import_error == "worker-1: No module named 'shop'"
    sign = FunctionSign.of(describe(send, name="shop.pack"))
    found = await report(world, FoundPaths(signs={"shop.pack": sign}))
    assert (found.import_error, found.parameters, found.queue) == (None, sign.parameters, "mail")
    assert found.imported_at is not None
    found = await report(await world.later(minutes=5), missing)
    assert found.import_error is None, "a worker with other code does not overwrite that one could import it"
    found = await report(await world.later(minutes=30), missing)
    assert found.import_error is not None, "until none has been able to for some time"

    await register(world, sign)
    assert (await find(world, "shop.pack")).handler_path is None, "a decorated one takes the name over"
    await world.store.transact(functions.delete_function, name="shop.pack", actor="tester")
    await world.store.transact(functions.report_paths, paths, FoundPaths(signs={"shop.pack": sign}), "worker-1")
    with pytest.raises(AssertionError):
        await find(world, "shop.pack")


@pytest.mark.parametrize(
    ("inputs", "field"),
    [
        ([{"copies": "2"}], "input.copies"),
        ([None], "input.customer"),
        ([[7]], "input"),
        ([{"customer": 1}, {"customer": 1, "copies": 1.5}], "runs.1.input.copies"),
        ([{"customer": 1}, None], "runs.1.input.customer"),
    ],
)
async def test_inputs_that_do_not_fit(world: World, inputs: Sequence[Any], field: str) -> None:
    await register(world)
    job = await world.job(target={**TARGET, "arguments": {}})
    with pytest.raises(InvalidInput) as refused:
        await ask(world, job, inputs)
    assert refused.value.field == field
    assert await world.live() == []


async def ask(world: World, job: Any, inputs: Sequence[Any]) -> None:
    runs = [TriggerRequest(world.ids.new(), None if one is None else json.dumps(one)) for one in inputs]
    await world.store.transact(
        trigger, project_id=world.project, ref=job.id, runs=runs, trigger=Trigger.API, actor="tester"
    )


async def test_inputs_override_arguments(world: World) -> None:
    await register(world)
    job = await world.job(target=TARGET)
    await ask(world, job, [None, {"customer": 8}, {"copies": 3}])
    assert len(await world.live()) == 3


async def test_inputs_do_not_override_what_is_locked(world: World) -> None:
    await register(world)
    archive: dict[str, Any] = {
        "kind": "artifact",
        "uri": "file:///a.zip",
        "digest": "sha256:" + "0" * 64,
        "entrypoint": "main:run",
    }
    python = await world.job(name="python", target={**TARGET, "locked": ["customer"]})
    artifact = await world.job(
        name="artifact", target={**archive, "arguments": {"customer": 7}, "locked": ["customer"]}
    )
    for job in (python, artifact):
        with pytest.raises(InvalidInput, match="must not give customer: the job locks it") as refused:
            await ask(world, job, [{"copies": 3}, {"customer": 8}])
        assert refused.value.field == "runs.1.input"
        assert await world.live() == []
    await ask(world, python, [None, {"copies": 3}])
    await ask(world, artifact, [None, {"copies": 3}])
    assert len(await world.live()) == 4


async def test_a_run_of_a_function_that_is_not_known_waits(world: World) -> None:
    """As after an upgrade, before the new workers have registered theirs."""
    await register(world)
    job = await world.job(target=TARGET)
    await world.store.transact(functions.delete_function, name="mail.send", actor="tester")
    await world.trigger(job)
    assert len(await world.live()) == 1


async def test_deleting(world: World) -> None:
    own = FunctionSign.of(describe(send, name="horae.send"))
    await register(world, own, FunctionSign.of(SEND))
    await world.store.transact(functions.delete_function, name="mail.send", actor="tester")
    for name in ("mail.send", "nobody"):
        with pytest.raises(NotFound, match=f"there is no function '{name}'"):
            await world.store.transact(functions.delete_function, name=name, actor="tester")
        with pytest.raises(NotFound):
            await change(world, name, is_active=False)
    with pytest.raises(Conflict, match=r"is built in and cannot be deleted"):
        await world.store.transact(functions.delete_function, name="horae.send", actor="tester")
    assert (await find(world, "horae.send")).is_system


def test_the_words_never_repeat_what_was_given() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_arguments(FunctionSign.of(SEND).parameters, {"customer": "hunter2"}, "input")
    assert "hunter2" not in str(refused.value)
    assert spec(target=TARGET).target.needs == "python:mail.send"
