"""Queues reserved for projects, and workers bound to them: no other project's code runs there."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from horae.accounts import projects
from horae.domain.errors import Conflict, InvalidInput
from horae.domain.jobs.queue import QueueRecord
from horae.domain.pages import Page
from horae.domain.people.project import Project
from horae.lifecycle import queues, reservations
from horae.ports import Transaction
from tests.contract.world import IDS, World

OTHER = "other"


@pytest.fixture
async def other(world: World) -> World:
    """The same installation, seen from another project."""
    project = Project(IDS.new(), OTHER, "Other")
    await world.store.transact(projects.create_project, project=project, actor="test")
    seen = await world.later()
    seen.project = project.id
    return seen


async def reserve(world: World, name: str, *slugs: str) -> None:
    await world.store.transact(reservations.reserve_queue, name=name, slugs=slugs, actor="test")


async def served(world: World, *ids: str, queues: Collection[str] = ()) -> list[str]:
    return await world.store.read(reservations.served, project_ids=ids, queues=list(queues))


async def test_only_the_jobs_of_its_projects_may_name_it(world: World, other: World) -> None:
    await reserve(world, "vault", "default")
    mine = await world.job(queue="vault", manual=True)
    with pytest.raises(InvalidInput, match=r"queue: the queue 'vault' is reserved for other projects"):
        await other.job(queue="vault", manual=True)
    theirs = await other.job(manual=True)
    with pytest.raises(InvalidInput, match="reserved"):
        await other.edit(theirs, queue="vault")
    assert (await other.look(theirs)).spec.queue == "default"
    await reserve(world, "vault", "default", OTHER)
    assert (await other.edit(theirs, queue="vault")).spec.queue == "vault"
    assert (await world.look(mine)).spec.queue == "vault"


async def test_one_that_others_use_is_not_taken_away(world: World, other: World) -> None:
    job = await other.job(queue="mail", manual=True)
    await other.trigger(job)
    with pytest.raises(Conflict, match=r"other projects use the queue 'mail': other \(1 job, 1 run\)"):
        await reserve(world, "mail", "default")
    await reserve(world, "mail", OTHER)
    await reserve(world, "mail")
    await world.job(queue="mail", manual=True)


async def test_a_project_that_does_not_exist(world: World) -> None:
    with pytest.raises(InvalidInput, match="there is no project 'nobody'"):
        await reserve(world, "vault", "default", "nobody")
    assert await served(world, world.project) == []


async def test_a_bound_worker_takes_from_queues_of_its_projects_alone(world: World, other: World) -> None:
    await reserve(world, "vault", "default")
    await reserve(world, "shared", "default", OTHER)
    for queue in ("vault", "shared", "default"):
        await world.trigger(await world.job(queue=queue, manual=True))
    await other.trigger(await other.job(queue="shared", manual=True))
    assert await served(world, world.project) == ["vault"]
    assert await served(world, world.project, other.project) == ["shared", "vault"]
    assert await served(world, world.project, queues=["default", "vault"]) == ["vault"]
    everywhere = ["default", "shared", "vault"]
    (run,) = await world.claim(queues=everywhere, project_ids=[world.project])
    assert (run.project_id, (await world.find(run)).queue) == (world.project, "vault")
    assert await world.claim(queues=everywhere, project_ids=[world.project]) == []
    both = await world.claim(queues=everywhere, project_ids=[world.project, other.project])
    assert {run.project_id for run in both} == {world.project, other.project}
    (left,) = await world.claim(queues=everywhere)  # a worker that is bound to no one takes from all of them
    assert (await world.find(left)).queue == "default"


async def test_a_run_that_an_older_version_put_there_is_passed_over(world: World, other: World) -> None:
    """It knows nothing of reservations when it saves a job."""
    job = await other.job(queue="vault", manual=True)
    await other.trigger(job)
    await world.store.transact(_reserve_whatever, "vault", world.project)
    mine = await world.job(queue="vault", manual=True)
    await world.trigger(mine)
    (run,) = await world.claim(queues=["vault"], project_ids=[world.project])
    assert run.job_id == mine.id
    assert await world.claim(queues=["vault"], project_ids=[world.project]) == []


async def _reserve_whatever(tx: Transaction, queue: str, project_id: str) -> None:
    await tx.reservations.reserve(queue, [project_id], "test")


async def test_a_save_and_a_reservation_at_once(world: World, other: World) -> None:
    """One of them is refused: never both, and never neither."""
    for n in range(10):
        name = f"contested-{n}"
        results = await asyncio.gather(
            other.job(queue=name, manual=True), reserve(world, name, "default"), return_exceptions=True
        )
        failed = [result for result in results if isinstance(result, Exception)]
        assert [type(one) for one in failed] in ([InvalidInput], [Conflict]), failed


async def test_a_reserved_queue_stays_and_its_project_too(world: World, other: World) -> None:
    await reserve(world, "vault", OTHER)
    later = await world.later(hours=5)
    assert "vault" not in await later.store.read(queues.unused_queues)
    with pytest.raises(Conflict, match="queues that are reserved for it"):
        await world.store.transact(projects.delete_project, project_id=other.project, actor="test")
    await reserve(world, "vault")
    assert "vault" in await later.store.read(queues.unused_queues)
    await world.store.transact(projects.delete_project, project_id=other.project, actor="test")


async def test_pages_of_queues(world: World, other: World) -> None:
    """Page after page the same as at once: for those who see all, and for those who see their own."""
    for name in ("b", "B", "ä", "a b", "a"):
        await world.job(queue=name)
    await reserve(world, "kept", "default")
    await reserve(world, "theirs", OTHER)
    await other.job(queue="lobby")

    use = await world.store.read(queues.queue_use, world.project)

    async def listed(**how: Any) -> Page[QueueRecord]:
        return await world.store.read(queues.list_queues, world.project, use, **how)

    async def pages(*, everything: bool) -> list[str]:
        found, after = [], None
        while True:
            page = await listed(everything=everything, limit=2, after=after)
            found += [queue.name for queue in page.items]
            assert len(page.items) <= 2
            if page.next is None:
                return found
            after = page.next

    every = [queue.name for queue in (await listed(everything=True)).items]
    assert await pages(everything=True) == every
    assert sorted(every) == sorted(["b", "B", "ä", "a b", "a", "kept", "theirs", "lobby"])
    assert use.named == {"b", "B", "ä", "a b", "a"}
    assert await pages(everything=False) == [name for name in every if name not in ("theirs", "lobby")]
