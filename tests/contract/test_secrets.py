"""Secrets in the store: encrypted, found by runs that need them, re-encrypted, and never deleted while a job uses
them."""

import asyncio
from typing import Any, cast

import pytest

from horae.accounts import secrets
from horae.accounts.projects import create_project
from horae.controllers.stored import StoreController
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.people.audit import Origin
from horae.domain.people.project import Project
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.secrets.secret import Sealed
from horae.lifecycle import callback
from horae.ports import Store, Transaction
from horae.processes.vault import Vault
from horae.sealing import Keyring
from tests.contract.kinds import on_servers
from tests.contract.world import World, middle
from tests.waiting import until

OLD = Keyring("the old key of this cluster, 1849cd27fb")
NEW = Keyring("the new key of this cluster, 77d0ea4be1", "the old key of this cluster, 1849cd27fb")


async def save(world: World, name: str, value: str, *, keys: Keyring = OLD, actor: str = "tester") -> bool:
    sealed = keys.seal(world.project, name, value)
    _, new = await world.store.transact(secrets.set_secret, sealed=sealed, actor=actor)
    return new


async def delete(world: World, name: str, *, force: bool = False) -> None:
    await world.store.transact(secrets.delete_secret, project_id=world.project, name=name, force=force, actor="owner")


async def opened(world: World, *names: str, keys: Keyring = NEW) -> dict[str, str]:
    async def read(tx: Transaction) -> list[Sealed]:
        return await tx.secrets.sealed({(world.project, name) for name in names})

    return {sealed.name: keys.open(sealed) for sealed in await world.store.read(read)}


def script(*names: str) -> dict[str, Any]:
    env = {f"V{place}": f"{{{{ secrets.{name} }}}}" for place, name in enumerate(names)}
    return {"kind": "script", "source": "true", "env": env}


async def test_a_value_is_saved_sealed_and_replaced(world: World):
    assert await save(world, "TOKEN", "first ü \U0001f511\n")
    assert not await save(world, "TOKEN", "second", actor="somebody else")
    assert await opened(world, "TOKEN", "OTHER") == {"TOKEN": "second"}
    (row,) = await world.rows("SELECT * FROM secrets")
    assert (row["created_by"], row["updated_by"]) == ("tester", "somebody else")
    assert row["created_at"] < row["updated_at"]
    assert "second" not in str(row)


async def test_names_are_case_sensitive_and_listed_in_order(world: World):
    for name in ("token", "TOKEN", "B"):
        await save(world, name, f"value of {name}")
    assert await opened(world, "token", "TOKEN") == {"token": "value of token", "TOKEN": "value of TOKEN"}

    async def pages(tx: Transaction) -> list[str]:
        first = await tx.secrets.page(world.project, limit=2, after=None)
        rest = await tx.secrets.page(world.project, limit=2, after=first.next)
        assert rest.next is None
        return [secret.name for secret in (*first.items, *rest.items)]

    assert await world.store.read(pages) == ["B", "TOKEN", "token"]


async def test_the_largest_value_comes_back_whole(world: World):
    value = "0123456789abcdef" * 4096
    await save(world, "BIG", value)
    assert await opened(world, "BIG") == {"BIG": value}


async def test_a_job_must_name_what_is_there(world: World):
    with pytest.raises(InvalidInput, match=r"^target\.env\.V0: no secret named TOKEN in this project"):
        await world.job(target=script("TOKEN"))
    await save(world, "TOKEN", "value")
    job = await world.job(target=script("TOKEN"))
    with pytest.raises(InvalidInput, match=r"^target\.env\.V1: no secret named OTHER"):
        await world.edit(job, target=script("TOKEN", "OTHER"))
    assert (await world.look(job)).version == 1


async def test_the_secret_of_another_project_is_not_there(world: World):
    other = Project(world.ids.new(), "other", "Other")
    await world.store.transact(create_project, project=other, actor="tester")
    sealed = OLD.seal(other.id, "TOKEN", "value")
    await world.store.transact(secrets.set_secret, sealed=sealed, actor="tester")
    with pytest.raises(InvalidInput, match="no secret named TOKEN"):
        await world.job(target=script("TOKEN"))


async def test_what_jobs_name_is_deleted_by_force_only(world: World):
    await save(world, "TOKEN", "value")
    await save(world, "TOK", "value")
    for number in range(12):
        await world.job(name=f"user {number:02}", target=script("TOKEN"))
    with pytest.raises(Conflict) as refused:
        await delete(world, "TOKEN")
    assert str(refused.value) == (
        f"jobs use this secret: {', '.join(f'user {number:02}' for number in range(10))} and others"
    )
    await delete(world, "TOK")  # a name that is part of another is not named by it
    await delete(world, "TOKEN", force=True)
    with pytest.raises(NotFound):
        await delete(world, "TOKEN", force=True)


async def test_only_the_current_definition_counts(world: World):
    await save(world, "TOKEN", "value")
    job = await world.job(target=script("TOKEN"))
    await world.edit(job, target=script())
    await delete(world, "TOKEN")
    with pytest.raises(InvalidInput, match="no secret named TOKEN"):
        await world.rollback(job, 1)


@on_servers
async def test_a_secret_is_not_deleted_under_a_job_that_is_being_saved(world: World):
    await save(world, "TOKEN", "value")
    saving, may_commit = asyncio.Event(), asyncio.Event()

    async def slow(tx: Transaction) -> None:
        await secrets.check_definition(tx, world.project, made)
        saving.set()
        await may_commit.wait()

    made = (await world.job(target=script("TOKEN"))).spec
    other = await world.later()
    task = asyncio.create_task(world.store.transact(slow))
    await saving.wait()
    deleting = asyncio.create_task(delete(other, "TOKEN", force=True))
    done, _ = await asyncio.wait([deleting], timeout=0.3)
    assert not done
    may_commit.set()
    await task
    await until(deleting.done)
    await deleting


async def test_rotation_reencrypts_everything_and_can_be_repeated(world: World):
    for number in range(205):  # more than two steps
        await save(world, f"S{number:03}", f"value {number}")
    await save(world, "NEWER", "sealed with the new key", keys=NEW)
    assert await rotate(world) == (205, [])
    assert {row["key_id"] for row in await world.rows("SELECT key_id FROM secrets")} == {NEW.key_id}
    only_new = Keyring("the new key of this cluster, 77d0ea4be1")
    assert await opened(world, "S000", "S204", "NEWER", keys=only_new) == {
        "S000": "value 0",
        "S204": "value 204",
        "NEWER": "sealed with the new key",
    }
    assert await rotate(world) == (0, [])


async def test_secrets_that_no_key_decrypts_are_named_and_left_unchanged(world: World):
    await save(world, "GOOD", "value")
    await save(world, "LOST", "value", keys=Keyring("a key that nobody has any more, 55b1"))
    await save(world, "SPOILT", "value")
    await world.execute("UPDATE secrets SET sealed = 'AAAA' WHERE name = 'SPOILT'")
    before = await world.rows("SELECT * FROM secrets WHERE name <> 'GOOD' ORDER BY name")
    assert await rotate(world) == (1, ["LOST (project default)", "SPOILT (project default)"])
    assert await world.rows("SELECT * FROM secrets WHERE name <> 'GOOD' ORDER BY name") == before
    assert await rotate(world) == (0, ["LOST (project default)", "SPOILT (project default)"])


async def test_rotation_does_not_overwrite_what_was_just_set(world: World):
    await save(world, "TOKEN", "old value")

    async def stale(tx: Transaction) -> bool:
        ((old, _),) = await tx.secrets.not_of(NEW.key_id, limit=10, after=None)
        await tx.secrets.save(NEW.seal(world.project, "TOKEN", "new value"), "somebody")
        return await tx.secrets.reseal(old, NEW.seal(world.project, "TOKEN", "old value"))

    assert await world.store.transact(stale) is False
    assert await opened(world, "TOKEN") == {"TOKEN": "new value"}


async def rotate(world: World) -> tuple[int, list[str]]:
    step = await world.store.transact(secrets.reseal, seals=NEW)
    done, cannot = step.done, step.cannot
    while step.after is not None:
        step = await world.store.transact(secrets.reseal, seals=NEW, after=step.after)
        done, cannot = done + step.done, cannot + step.cannot
    return done, cannot


async def test_workers_open_what_their_runs_name_in_one_query(world: World):
    await save(world, "TOKEN", "value")
    await save(world, "OTHER", "another", keys=Keyring("a key that nobody has any more, 55b1"))
    jobs = [await world.job(target=script(*names)) for names in (["TOKEN"], ["TOKEN", "OTHER"], [])]
    for job in jobs:
        await world.trigger(job)
    runs = {run.job_id: run for run in await world.claim(offers=["script"])}
    definitions = {(job.id, 1): job.spec for job in jobs}
    first, second, third = (runs[job.id] for job in jobs)

    opened = await Vault(StoreController(world.store, world.ids.chance, NEW)).open([first, second, third], definitions)
    assert set(opened) == {first.id, second.id}
    assert (opened[first.id].values, opened[first.id].fault) == ({"TOKEN": "value"}, None)
    fault = opened[second.id].fault
    assert fault is not None
    assert fault.error == "the secret OTHER cannot be opened: it was encrypted with another HORAE_SECRET_KEY"
    assert not fault.permanent

    await delete(world, "OTHER", force=True)
    fault = (await Vault(StoreController(world.store, world.ids.chance, NEW)).open([second], definitions))[
        second.id
    ].fault
    assert fault is not None
    assert fault.error is not None
    assert fault.error.startswith("no secret named OTHER in this project")
    assert fault.permanent
    nobody = cast("Store", None)  # which would fail if it were asked
    assert await Vault(StoreController(nobody, world.ids.chance, NEW)).open([third], definitions) == {}
    assert (await Vault(StoreController(nobody, world.ids.chance)).open([first], definitions))[
        first.id
    ].fault is not None


async def test_a_callback_does_not_bring_back_the_secret_that_the_call_carried(world: World):
    await save(world, "TOKEN", "s3cr3t-value")
    target = {"kind": "http", "url": "https://example.org/", "auth": {"bearer": "{{ secrets.TOKEN }}"}, "callback": {}}
    run = await world.running(await world.job(target=target), offers=["http"])

    async def answer(outcome: Outcome | None, progress: str | None) -> None:
        await world.store.transact(
            callback.answer,
            run_id=run.id,
            attempt=run.attempt,
            outcome=outcome,
            progress=progress,
            chance=middle,
            seals=NEW,
        )

    await answer(None, '{"fraction": 0.5, "note": "got s3cr3t-value"}')
    assert (await world.find(run)).progress["note"] == "got [secret TOKEN]"
    ended = Outcome(AttemptOutcome.FAILED, result='{"a": "s3cr3t-value"}', error="no s3cr3t-value", permanent=True)
    await answer(ended, None)
    again = world.store.on_behalf_of(Origin(repeated=True))  # known by what was stored of it
    await again.transact(
        callback.answer, run_id=run.id, attempt=1, outcome=ended, progress=None, chance=middle, seals=NEW
    )
    found = await world.find(run)
    assert (found.result, found.error) == ({"a": "[secret TOKEN]"}, "no [secret TOKEN]")
