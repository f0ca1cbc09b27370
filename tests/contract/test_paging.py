"""Lists, page after page, while rows come, go and move: nothing twice, and nothing that stays is left out."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from tests.contract.world import World

ORDERS = {
    "name": "Echo alpha bravo charlie delta",
    "created_at": "delta alpha Echo bravo charlie",
    "updated_at": "delta Echo bravo charlie alpha",
    "next_run_at": "Echo charlie delta alpha bravo",  # those without one come last
    "-name": "delta charlie bravo alpha Echo",
    "-created_at": "charlie bravo Echo alpha delta",
    "-updated_at": "alpha charlie bravo Echo delta",
    "-next_run_at": "delta charlie Echo bravo alpha",
}
ONE_JOB = "(SELECT updated_at FROM jobs ORDER BY id LIMIT 1)"  # MySQL reads no table that it changes, but a copy
Between = Callable[[int], Awaitable[None]]


async def nothing(_: int) -> None: ...


async def jobs(world: World, sort: str, limit: int = 2, between: Between = nothing, **where: Any) -> list[JobRecord]:
    """All pages; `between` happens after each, with its number."""

    async def page(tx: Any, after: str | None) -> Any:
        return await tx.jobs.page(world.project, JobFilter(**where), limit=limit, after=after, sort=sort)

    found: list[JobRecord] = []
    after, number = None, 0
    while True:
        shown = await world.store.read(page, after)
        found += shown.items
        if shown.next is None:
            return found
        after, number = shown.next, number + 1
        await between(number)


async def some_jobs(world: World) -> list[JobRecord]:
    made = [
        await world.job(name="delta", at="2093-01-01T00:00:00Z"),
        await world.job(name="alpha"),
        await world.job(name="Echo", at="2091-01-01T00:00:00Z"),
        await world.job(name="bravo"),
        await world.job(name="charlie", at="2092-01-01T00:00:00Z"),
    ]
    await world.edit(made[1], description="edited")
    return made


@pytest.mark.parametrize("sort", ORDERS)
async def test_every_order_is_the_same_in_pages_and_at_once(world: World, sort: str):
    await some_jobs(world)
    whole = [job.spec.name for job in await jobs(world, sort, 100)]
    for limit in (1, 2, 3, 5):
        assert [job.spec.name for job in await jobs(world, sort, limit)] == whole
    assert whole == ORDERS[sort].split()


@pytest.mark.parametrize("sort", ["name", "-name", "created_at", "-created_at", "next_run_at"])
async def test_jobs_that_come_and_go_between_pages(world: World, sort: str):
    made = await some_jobs(world)
    order = [job.id for job in await jobs(world, sort, 100)]

    async def between(number: int) -> None:
        if number == 1:
            await world.delete(order[1])  # what was shown last
            await world.delete(order[3])  # what would have come
            await world.job(name="aaa", every="30m")
            await world.job(name="zzz", every="9h")

    found = [job.id for job in await jobs(world, sort, 2, between)]
    assert len(found) == len(set(found))
    stayed = {job.id for job in made} - {order[3]}
    assert stayed <= set(found)
    assert order[3] not in found


@pytest.mark.parametrize("sort", ["next_run_at", "-next_run_at", "updated_at", "-updated_at"])
async def test_pages_break_ties_of_equal_times_by_id(world: World, sort: str):
    """A page may end in the middle of those that are due at the same instant, or were changed at it."""
    made = {(await world.job(name=f"job-{n}", at="2091-01-01T00:00:00Z")).id for n in range(7)}
    await world.execute(f"UPDATE jobs SET updated_at = (SELECT updated_at FROM {ONE_JOB} one)")
    for limit in (1, 2, 3):
        found = [job.id for job in await jobs(world, sort, limit)]
        assert (len(found), set(found)) == (7, made)


async def test_a_filter_of_tags_goes_on_where_it_was(world: World):
    for n in range(9):
        await world.job(name=f"job-{n}", tags=["a"] if n % 3 == 0 else ["b"], description="a")
    for sort in ("name", "-created_at", "next_run_at"):
        found = await jobs(world, sort, 1, tag="a")
        assert sorted(job.spec.name for job in found) == ["job-0", "job-3", "job-6"]


@pytest.mark.parametrize("oldest_first", [False, True])
async def test_runs_that_come_and_end_between_pages(world: World, oldest_first: bool):
    job = await world.job()
    made = [(await world.trigger(job))[0].id for _ in range(9)]
    await world.finish(*await world.claim(3))
    found: list[str] = []
    after = None
    while True:
        page = await world.page(limit=2, after=after, oldest_first=oldest_first)
        found += [run.id for run in page.items]
        if page.next is None:
            break
        after = page.next
        await world.finish(*await world.claim(1))  # it moves to the history
        if len(found) == 4:
            made += [(await world.trigger(job))[0].id for _ in range(2)]
    assert len(found) == len(set(found))
    assert found == sorted(found, reverse=not oldest_first)
    assert set(made[:9]) <= set(found)
