"""Projects and their keys."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from horae.accounts import keys, projects
from horae.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from horae.domain.people.audit import Origin
from horae.domain.people.key import ApiKey
from horae.domain.people.project import Project
from horae.lifecycle import submit

from .world import IDS, World, lost_reply


async def test_only_an_empty_project_is_deleted(world: World):
    made = await world.store.transact(
        projects.create_project, project=Project(IDS.new(), "other", "Other"), actor="user:ada"
    )
    with pytest.raises(Conflict, match="slug"):
        await world.store.transact(
            projects.create_project, project=Project(IDS.new(), "other", "Again"), actor="user:ada"
        )
    renamed = await world.store.transact(projects.rename_project, project_id=made.id, name="New", actor="user:ada")
    assert (renamed.slug, renamed.name) == ("other", "New")
    await world.job(name="hello")
    with pytest.raises(Conflict, match="default"):
        await world.store.transact(projects.delete_project, project_id=world.project, actor="user:ada")
    await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")
    with pytest.raises(NotFound):
        await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")


async def test_a_project_that_gets_a_job_meanwhile_is_not_deleted(world: World):
    """The deletion waits for concurrent transactions, and then finds that the project is not empty."""
    spec = (await world.job(name="hello")).spec
    (other,) = await world.crowd(1)
    made = await world.store.transact(
        projects.create_project, project=Project(IDS.new(), "other", "Other"), actor="user:ada"
    )
    put, go_on = asyncio.Event(), asyncio.Event()
    job: dict[str, Any] = {"job_id": IDS.new(), "project_id": made.id, "spec": spec, "enabled": True, "actor": "bob"}

    async def slowly(tx: Any) -> None:
        await submit.create_job(tx, **job)
        put.set()
        await go_on.wait()

    making = asyncio.create_task(world.store.transact(slowly))
    await put.wait()
    deleting = asyncio.create_task(other.store.transact(projects.delete_project, project_id=made.id, actor="user:ada"))
    await asyncio.wait([deleting], timeout=0.3)
    go_on.set()
    await making
    with pytest.raises(Conflict, match="jobs"):
        await deleting
    await world.store.transact(submit.delete_job, project_id=made.id, ref=job["job_id"], actor="user:bob")
    await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")
    with pytest.raises(NotFound, match="project"):
        await world.store.transact(submit.create_job, **{**job, "job_id": IDS.new()})
    with pytest.raises(NotFound, match="project"):
        await world.store.transact(
            keys.create_key, key=replace(key(world, "viewer"), project_id=made.id), maker="owner"
        )


def key(world: World, role: str, **how: Any) -> ApiKey:
    made = IDS.new()
    return ApiKey(made, world.project, "ci", role, made[-16:], "digest", "user:ada", how.get("expires_at"))


async def test_keys_are_no_stronger_than_their_maker_and_expire(world: World):
    with pytest.raises(NotAllowed):
        await world.store.transact(keys.create_key, key=key(world, "admin"), maker="owner")
    with pytest.raises(InvalidInput):
        await world.store.transact(
            keys.create_key, key=key(world, "viewer", expires_at=await world.now()), maker="owner"
        )
    short = key(world, "viewer", expires_at=await world.now() + timedelta(hours=1))
    made = await world.store.transact(lost_reply(keys.create_key), key=short, maker="owner")

    async def find(tx: Any) -> Any:
        return await tx.access.key(short.prefix)

    assert (await world.store.read(find)).project_slug == "default"
    assert await (await world.later(hours=2)).store.read(find) is None
    strong = await world.store.transact(keys.create_key, key=key(world, "admin"), maker="admin")
    with pytest.raises(NotAllowed):
        await world.store.transact(
            keys.revoke_key, project_id=world.project, key_id=strong.id, revoker="owner", actor="x"
        )
    await world.store.transact(keys.revoke_key, project_id=world.project, key_id=made.id, revoker="owner", actor="x")
    assert await world.store.read(find) is None
    for unknown in (made.id, IDS.new(), "x"):
        with pytest.raises(NotFound):
            await world.store.transact(
                keys.revoke_key, project_id=world.project, key_id=unknown, revoker="owner", actor="x"
            )


async def test_a_keys_use_is_written_down_at_most_once_a_minute(world: World):
    made = await world.store.transact(keys.create_key, key=key(world, "viewer"), maker="owner")

    async def used(at: World) -> Any:
        async def work(tx: Any) -> Any:
            await tx.access.used(made.id)
            return (await tx.access.find_key(world.project, made.id)).last_used_at

        return await at.store.transact(work)

    first = await used(world)
    assert first is not None
    assert await used(await world.later(seconds=30)) == first
    assert await used(await world.later(seconds=61)) > first


async def test_a_repeated_creation_replaces_the_token(world: World):
    """A request repeated with its idempotency key, after its first response was lost."""
    made = key(world, "viewer")
    await world.store.transact(keys.create_key, key=made, maker="owner")
    again = replace(made, prefix="another", digest="of another token")
    store = world.store.on_behalf_of(Origin(repeated=True))
    await store.transact(keys.create_key, key=again, maker="owner")

    async def find(tx: Any) -> Any:
        return await tx.access.key("another"), await tx.access.key(made.prefix)

    found, old = await world.store.read(find)
    assert (found.id, found.digest, old) == (made.id, "of another token", None)
